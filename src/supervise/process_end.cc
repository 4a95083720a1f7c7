#include "supervise/process_end.h"

#include <sys/ioctl.h>

#include <cstdint>

#include "sources/pid_stat.h"

namespace holdfast {
namespace {

// struct pidfd_info of linux/pidfd.h, which the headers of this build may lack.
struct PidfdInfo {
    std::uint64_t mask;
    std::uint64_t cgroup_id;
    std::uint32_t pid, tgid, ppid;
    std::uint32_t ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
    std::int32_t exit_code;
};
static_assert(sizeof(PidfdInfo) == 64);  // PIDFD_INFO_SIZE_VER0
constexpr std::uint64_t info_exit = 1U << 3U;
constexpr unsigned long get_info = _IOWR(0xff, 11, PidfdInfo);

}  // namespace

std::optional<int> end_of_process(int pidfd, int process_dir) {
    const auto stat = sources::read_pid_stat(process_dir);
    if (stat && stat->state == 'Z' && stat->exit_code) return *stat->exit_code;
    // In this order: the pidfd reports nothing about a zombie, and the zombie may be reaped at any
    // moment.
    PidfdInfo info{};
    info.mask = info_exit;
    if (pidfd >= 0 && ::ioctl(pidfd, get_info, &info) == 0 && (info.mask & info_exit) != 0)
        return info.exit_code;
    return std::nullopt;
}

}  // namespace holdfast
