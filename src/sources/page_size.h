// Units the kernel counts in: pages, and the ticks of /proc/PID/stat.
#pragma once

#include <unistd.h>

#include <cstdint>

#include "base/bytes.h"
#include "base/time.h"

namespace holdfast::sources {

// 4 KiB on x86_64; 4, 16 or 64 KiB on aarch64.
inline Bytes page_size() { return {static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))}; }

// USER_HZ: 100 on every architecture we run on, whatever the kernel's own timer does.
inline constexpr Nanos tick{10'000'000};

}  // namespace holdfast::sources
