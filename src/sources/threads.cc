#include "sources/threads.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>

#include "base/read_file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "sources/directory.h"
#include "sources/pid_stat.h"

namespace holdfast::sources {

std::string parse_pid_wchan(std::string_view text) {
    const std::string_view name = trim(text);
    return name == "0" ? std::string() : std::string(name);
}

Result<std::string> read_pid_wchan(int process_dir) {
    const auto text = read_file_at(process_dir, "wchan", 4096);
    if (!text) return text.error();
    return parse_pid_wchan(*text);
}

namespace {

using Arguments = std::array<std::uint64_t, 6>;

// How a call shows whether it has a time limit: it never has one, always has one, or a null pointer
// or a negative number means that it has none.
enum class Until : std::uint8_t { never, always, pointer, milliseconds };

struct Call {
    int number;
    std::string_view name;
    WaitKind kind;
    Until until = Until::never;
    std::size_t timeout = 0;  // which argument
    bool has_fd = false;      // the first argument
};

constexpr std::array calls{
    Call{SYS_wait4, "wait4", WaitKind::child},
    Call{SYS_waitid, "waitid", WaitKind::child},
    Call{SYS_read, "read", WaitKind::read, Until::never, 0, true},
    Call{SYS_readv, "readv", WaitKind::read, Until::never, 0, true},
    Call{SYS_pread64, "pread64", WaitKind::read, Until::never, 0, true},
    Call{SYS_recvfrom, "recvfrom", WaitKind::read, Until::never, 0, true},
    Call{SYS_recvmsg, "recvmsg", WaitKind::read, Until::never, 0, true},
    Call{SYS_accept, "accept", WaitKind::read, Until::never, 0, true},
    Call{SYS_accept4, "accept4", WaitKind::read, Until::never, 0, true},
    Call{SYS_write, "write", WaitKind::write, Until::never, 0, true},
    Call{SYS_writev, "writev", WaitKind::write, Until::never, 0, true},
    Call{SYS_pwrite64, "pwrite64", WaitKind::write, Until::never, 0, true},
    Call{SYS_sendto, "sendto", WaitKind::write, Until::never, 0, true},
    Call{SYS_sendmsg, "sendmsg", WaitKind::write, Until::never, 0, true},
    Call{SYS_connect, "connect", WaitKind::other, Until::never, 0, true},
    Call{SYS_fsync, "fsync", WaitKind::other, Until::never, 0, true},
    Call{SYS_fdatasync, "fdatasync", WaitKind::other, Until::never, 0, true},
    Call{SYS_ioctl, "ioctl", WaitKind::other, Until::never, 0, true},
    Call{SYS_openat, "openat", WaitKind::other},
    Call{SYS_newfstatat, "newfstatat", WaitKind::other},
    Call{SYS_statx, "statx", WaitKind::other},
    Call{SYS_getdents64, "getdents64", WaitKind::other, Until::never, 0, true},
    Call{SYS_flock, "flock", WaitKind::file_lock, Until::never, 0, true},
    Call{SYS_fcntl, "fcntl", WaitKind::file_lock, Until::never, 0, true},
    Call{SYS_ppoll, "ppoll", WaitKind::poll, Until::pointer, 2},
    Call{SYS_pselect6, "pselect6", WaitKind::poll, Until::pointer, 4},
    Call{SYS_epoll_pwait, "epoll_pwait", WaitKind::poll, Until::milliseconds, 3, true},
    Call{SYS_nanosleep, "nanosleep", WaitKind::sleep, Until::always},
    Call{SYS_clock_nanosleep, "clock_nanosleep", WaitKind::sleep, Until::always},
    // A sleep or a timed wait becomes this call when the process is stopped and continued.
    Call{SYS_restart_syscall, "restart_syscall", WaitKind::sleep, Until::always},
    Call{SYS_rt_sigtimedwait, "rt_sigtimedwait", WaitKind::signal, Until::pointer, 2},
    Call{SYS_rt_sigsuspend, "rt_sigsuspend", WaitKind::signal},
#ifdef SYS_epoll_pwait2
    Call{SYS_epoll_pwait2, "epoll_pwait2", WaitKind::poll, Until::pointer, 3, true},
#endif
#ifdef SYS_poll  // old calls, which aarch64 never had
    Call{SYS_poll, "poll", WaitKind::poll, Until::milliseconds, 2},
    Call{SYS_select, "select", WaitKind::poll, Until::pointer, 4},
    Call{SYS_epoll_wait, "epoll_wait", WaitKind::poll, Until::milliseconds, 3, true},
    Call{SYS_pause, "pause", WaitKind::signal},
    Call{SYS_open, "open", WaitKind::other},
    Call{SYS_stat, "stat", WaitKind::other},
#endif
};

const Call* find(int number) {
    for (const Call& call : calls)
        if (call.number == number) return &call;
    return nullptr;
}

bool is_timed(const Call& call, const Arguments& arguments) {
    switch (call.until) {
    case Until::never: return false;
    case Until::always: return true;
    case Until::pointer: return arguments[call.timeout] != 0;
    case Until::milliseconds: return static_cast<std::int32_t>(arguments[call.timeout]) >= 0;
    }
    return true;
}

// One futex(2) does many things: the low bits of `op` tell which.
ThreadWait futex(const Arguments& arguments) {
    constexpr std::uint64_t is_private = 128, realtime_clock = 256;
    constexpr std::uint64_t wait = 0, lock_pi = 6, wait_bitset = 9, wait_requeue_pi = 11;
    constexpr std::uint64_t lock_pi2 = 13;
    ThreadWait seen;
    seen.call = SYS_futex;
    const std::uint64_t what = arguments[1] & ~(is_private | realtime_clock);
    const bool waits = what == wait || what == lock_pi || what == wait_bitset ||
                       what == wait_requeue_pi || what == lock_pi2;
    seen.kind = waits ? WaitKind::lock : WaitKind::other;
    seen.timed = arguments[3] != 0;
    seen.own_lock = (arguments[1] & is_private) != 0;
    seen.address = arguments[0];
    return seen;
}

bool is_array_of_pollfd(std::string_view name) { return name == "poll" || name == "ppoll"; }

}  // namespace

Result<ThreadWait> parse_thread_wait(std::string_view text) {
    std::string_view rest = trim(text);
    const auto first = next_word(rest);
    if (!first) return Error{"an empty file", EINVAL};
    ThreadWait seen;
    if (*first == "running") {
        seen.kind = WaitKind::running;
        return seen;
    }
    const auto number = parse_number<int>(*first);
    if (!number) return Error{"not the number of a system call", EINVAL};
    if (*number < 0) return seen;
    Arguments arguments{};
    for (std::uint64_t& argument : arguments) {
        auto word = next_word(rest);
        if (!word || !word->starts_with("0x")) return Error{"an argument is missing", EINVAL};
        const auto value = parse_number<std::uint64_t>(word->substr(2), 16);
        if (!value) return Error{"an argument is no number", EINVAL};
        argument = *value;
    }
    if (*number == SYS_futex) return futex(arguments);
    seen.call = *number;
    const Call* call = find(*number);
    if (call == nullptr) {
        seen.kind = WaitKind::other;
        return seen;
    }
    seen.kind = call->kind;
    seen.timed = is_timed(*call, arguments);
    if (call->has_fd) seen.fd = static_cast<std::int32_t>(arguments[0]);
    if (is_array_of_pollfd(call->name)) {
        seen.address = arguments[0];
        seen.count = arguments[1];
    }
    return seen;
}

Result<ThreadWait> read_thread_wait(int thread_dir) {
    const auto text = read_file_at(thread_dir, "syscall", 4096);
    if (!text) return text.error();
    return parse_thread_wait(*text);
}

std::string_view name_of_call(int call) {
    if (call == SYS_futex) return "futex";
    const Call* known = find(call);
    return known == nullptr ? std::string_view{} : known->name;
}

namespace {

// The wait for an answer from a FUSE server (sshfs, object stores, virtiofs). The thread sleeps
// interruptibly until a signal comes, and after that it may be impossible to wake.
bool waits_for_fuse(std::string_view channel) { return channel == "request_wait_answer"; }

// The thread's state in the kernel decides before the call that it is in.
WaitKind kind_by_state(char state, std::string_view channel, WaitKind by_call) {
    switch (state) {
    case 'R': return WaitKind::running;
    case 'D': return WaitKind::disk;
    case 'T':
    case 't': return WaitKind::stopped;
    default: return waits_for_fuse(channel) ? WaitKind::disk : by_call;
    }
}

}  // namespace

Result<std::vector<ThreadSeen>> read_threads(int process_dir, std::size_t limit) {
    auto tasks = Directory::open(process_dir, "task");
    if (!tasks) return tasks.error();
    std::vector<ThreadSeen> threads;
    // The kernel lists threads by age, so the main thread comes first.
    while (threads.size() < limit) {
        const auto tid = tasks->next_number();
        if (!tid) break;
        const UniqueFd dir(::openat(tasks->fd(), std::to_string(*tid).c_str(),
                                    O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!dir) continue;
        const auto stat = read_pid_stat(dir.get());
        if (!stat) continue;
        ThreadSeen& seen = threads.emplace_back();
        seen.tid = *tid;
        seen.name = stat->comm;
        seen.state = stat->state;
        seen.cpu_time = stat->cpu_time;
        if (auto channel = read_pid_wchan(dir.get())) seen.wait_channel = std::move(*channel);
        if (const auto wait = read_thread_wait(dir.get())) seen.wait = *wait;
        seen.wait.kind = kind_by_state(seen.state, seen.wait_channel, seen.wait.kind);
    }
    return threads;
}

}  // namespace holdfast::sources
