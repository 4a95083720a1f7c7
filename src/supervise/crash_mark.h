// The farewell, by which the sentry knows how the supervisor ended, and the mark that a crash
// leaves there: nobody killed it, so nobody meant the program.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>

namespace holdfast {

enum class Farewell : std::uint32_t {
    none = 0,      // gone without one: killed
    ended = 1,     // the run is over
    crashing = 2,  // a fault of our own
};

struct FarewellPage {
    std::atomic<Farewell> farewell;
    std::atomic<std::uint64_t> oom_kills;  // of /proc/vmstat, at the last look
};

// The signals of a fault. They must not be blocked, or the kernel kills without asking the handler.
inline constexpr int fault_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

// From now on a crash of this process leaves its mark on `page`; null: nowhere. A fault signal that
// somebody sent is made to wait in the inbox, as all other signals do.
void mark_crashes_on(FarewellPage* page);

}  // namespace holdfast
