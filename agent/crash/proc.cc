// Room for a few descriptors more.
#include "agent/crash/proc.h"

#include <sys/resource.h>

namespace holdfast::agent {

RoomForDescriptors::RoomForDescriptors() {
    const ProcFile probe("/proc/self/maps");
    if (probe.fd() >= 0) return;
    if (::syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, before_) != 0) return;
    std::uint64_t wanted[2] = {before_[0] + 8, before_[1]};
    if (wanted[1] < wanted[0]) wanted[1] = wanted[0];  // only root may
    raised_ = ::syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, wanted, nullptr) == 0;
}

RoomForDescriptors::~RoomForDescriptors() {
    if (raised_) ::syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, before_, nullptr);
}

}  // namespace holdfast::agent
