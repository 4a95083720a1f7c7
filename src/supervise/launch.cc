#include "supervise/launch.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace holdfast {
namespace {

std::vector<char*> c_strings(const std::vector<std::string>& command) {
    std::vector<char*> pointers;
    pointers.reserve(command.size() + 1);
    for (const std::string& word : command) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

}  // namespace

Result<pid_t> launch(const Launch& plan) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return Error::from_errno("cannot make a pipe");
    UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);
    // Before fork: no allocation after it.
    std::vector<char*> words = c_strings(plan.command);
    std::vector<char*> entries = c_strings(plan.environment);
    char** const environment = plan.environment.empty() ? environ : entries.data();
    const pid_t us = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0) return Error::from_errno("cannot fork");
    if (pid == 0) {
        if (plan.dies_with_us) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (::getppid() != us) ::_exit(126);
        }
        if (plan.stdout_fd >= 0) ::dup2(plan.stdout_fd, STDOUT_FILENO);
        if (plan.stderr_fd >= 0) ::dup2(plan.stderr_fd, STDERR_FILENO);
        ::sigprocmask(SIG_SETMASK, &plan.signal_mask, nullptr);
        ::execvpe(words[0], words.data(), environment);
        const int failed = errno;
        if (::write(writer.get(), &failed, sizeof failed) < 0) {
        }  // then the exit status alone must tell
        ::_exit(failed == ENOENT ? 127 : 126);
    }
    writer.reset();
    int failed = 0;
    ssize_t got = 0;
    do got = ::read(reader.get(), &failed, sizeof failed);
    while (got < 0 && errno == EINTR);
    if (got == static_cast<ssize_t>(sizeof failed)) {
        ::waitpid(pid, nullptr, 0);
        return Error{std::strerror(failed), failed};
    }
    return pid;  // the pipe closed on exec
}

Error replace_by(const std::vector<std::string>& command) {
    std::vector<char*> words = c_strings(command);
    ::execvp(words[0], words.data());
    return Error{std::strerror(errno), errno};
}

}  // namespace holdfast
