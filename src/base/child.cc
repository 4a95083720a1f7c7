#include "base/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace holdfast {
namespace {

// kill(2) takes 0 and -1 for whole groups of processes, and 1 is init.
bool can_be_signalled(pid_t pid) { return pid > 1; }

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
    std::vector<char*> list;
    list.reserve(texts.size() + 1);
    for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
    list.push_back(nullptr);
    return list;
}

// What posix_spawn does to the descriptors of the new process.
class SpawnActions {
public:
    SpawnActions() { ::posix_spawn_file_actions_init(&actions_); }
    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;
    ~SpawnActions() { ::posix_spawn_file_actions_destroy(&actions_); }

    // 0, or an error number.
    int add(const Child::Descriptor& one) {
        if (one.from == Child::Descriptor::null)
            return ::posix_spawn_file_actions_addopen(&actions_, one.to, "/dev/null", O_RDWR, 0);
        return ::posix_spawn_file_actions_adddup2(&actions_, one.from, one.to);
    }
    const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    posix_spawn_file_actions_t actions_{};
};

}  // namespace

Child::Child(pid_t pid) : pid_(pid), handle_(open_pidfd(pid)) {}

pid_t Child::split() { return ::fork(); }

Result<Child> Child::spawn(const std::vector<std::string>& command,
                           const std::vector<Descriptor>& descriptors,
                           const std::vector<std::string>* environment) {
    SpawnActions actions;
    int failed = command.empty() ? EINVAL : 0;
    for (const Descriptor& one : descriptors)
        if (failed == 0) failed = actions.add(one);
    std::vector<char*> variables;
    if (environment != nullptr) variables = pointers_to(*environment);
    pid_t pid = 0;
    if (failed == 0)
        failed = ::posix_spawnp(&pid, command[0].c_str(), actions.get(), nullptr,
                                pointers_to(command).data(),
                                environment != nullptr ? variables.data() : environ);
    if (failed != 0) return Error{std::strerror(failed), failed};
    return Child(pid);
}

bool Child::send(int signal) const { return can_be_signalled(pid_) && ::kill(pid_, signal) == 0; }

bool Child::queue(int signal, void* value) const {
    sigval with{};
    with.sival_ptr = value;
    return can_be_signalled(pid_) && ::sigqueue(pid_, signal, with) == 0;
}

bool Child::has_ended() const {
    if (pid_ <= 0) return true;
    siginfo_t ended{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           ended.si_pid != 0;
}

std::optional<int> Child::wait() {
    if (pid_ <= 0) return std::nullopt;
    int status = -1;
    while (::waitpid(pid_, &status, 0) < 0)
        if (errno != EINTR) {
            status = -1;
            break;
        }
    forget();
    return status;
}

std::optional<int> Child::wait_if_ended() {
    if (pid_ <= 0) return std::nullopt;
    int status = -1;
    const pid_t got = ::waitpid(pid_, &status, WNOHANG);
    if (got == 0 || (got < 0 && errno == EINTR)) return std::nullopt;
    if (got < 0) status = -1;
    forget();
    return status;
}

void Child::end() {
    if (send(SIGKILL) || pid_ > 0) wait();
}

void Child::forget() {
    pid_ = 0;
    handle_.reset();
}

bool ChildChange::ended() const {
    return code == CLD_EXITED || code == CLD_KILLED || code == CLD_DUMPED;
}

bool ChildChange::stopped() const { return code == CLD_STOPPED; }

std::optional<ChildChange> next_child_change() {
    constexpr int changes = WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT;
    siginfo_t change{};
    if (::waitid(P_ALL, 0, &change, changes) != 0 || change.si_pid <= 0) return std::nullopt;
    return ChildChange{change.si_pid, change.si_code, change.si_status};
}

std::optional<int> take_child_change(const ChildChange& change) {
    int status = 0;
    if (change.pid <= 0 ||
        ::waitpid(change.pid, &status, WUNTRACED | WCONTINUED | WNOHANG) != change.pid)
        return std::nullopt;
    return status;
}

bool ProcessHandle::hold(pid_t pid) {
    if (!can_be_signalled(pid)) return false;
    handle_ = open_pidfd(pid);
    if (handle_) return true;
    if (errno != ENOSYS && errno != EPERM) return false;
    pid_ = pid;  // no pidfd (before Linux 5.3, or in a sandbox): the caller's check must do
    return true;
}

bool ProcessHandle::send(int signal) const {
    if (handle_) return send_by_pidfd(handle_.get(), signal);
    return can_be_signalled(pid_) && ::kill(pid_, signal) == 0;
}

UniqueFd open_pidfd(pid_t pid) {
    return UniqueFd(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1);
}

bool send_by_pidfd(int pidfd, int signal) {
    return pidfd >= 0 && ::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) == 0;
}

void end_with_parent(pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
}

}  // namespace holdfast
