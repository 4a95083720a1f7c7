#include "supervise/launch.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/pipe.h"

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

Result<Launched> launch(const Launch& plan) {
    auto pipe = Pipe::make();
    if (!pipe) return pipe.error();
    auto gate = Pipe::make();
    if (!gate) return gate.error();
    // Before fork: nothing may be allocated after it.
    std::vector<char*> words = c_strings(plan.command);
    std::vector<char*> entries = c_strings(plan.environment);
    char** const environment = plan.environment.empty() ? environ : entries.data();
    const pid_t us = ::getpid();
    auto child = Child::start([&] {
        if (plan.dies_with_us) end_with_parent(us);
        gate->writer.reset();
        char opened = 0;
        // Somebody killed the supervisor, and so meant the program. An exit here would look like
        // the program's own.
        if (::read(gate->reader.get(), &opened, 1) != 1) ::raise(SIGKILL);
        for (const int fd : plan.replaced) ::dup2(plan.output, fd);
        if (plan.state != nullptr) plan.state->hand_back();
        ::execvpe(words[0], words.data(), environment);
        // Perhaps there is room without what was put into the environment.
        if (errno == E2BIG) ::execvpe(words[0], words.data(), environ);
        const int failed = errno;
        if (::write(pipe->writer.get(), &failed, sizeof failed) < 0) {
        }  // then only the exit status can tell
        return failed == ENOENT ? 127 : 126;
    });
    if (!child) return child.error();
    if (plan.made) plan.made(child->pid());
    const bool opened = write_all(gate->writer.get(), "!");
    gate->writer.reset();
    if (!opened) {
        child->wait();
        return Error::from_errno("cannot start the program");
    }
    pipe->writer.reset();
    int failed = 0;
    ssize_t got = 0;
    do got = ::read(pipe->reader.get(), &failed, sizeof failed);
    while (got < 0 && errno == EINTR);
    if (got == static_cast<ssize_t>(sizeof failed)) {
        child->wait();
        return Launched{Child(), Error{std::strerror(failed), failed}};
    }
    return Launched{std::move(child).value(), {}};  // exec closed the pipe
}

Error replace_by(const std::vector<std::string>& command) {
    std::vector<char*> words = c_strings(command);
    ::execvp(words[0], words.data());
    return Error{std::strerror(errno), errno};
}

void end_as(int wait_status) {
    if (WIFEXITED(wait_status)) ::_exit(WEXITSTATUS(wait_status));
    const int number = WTERMSIG(wait_status);
    // The program has left its core file already; one of ours would only mislead.
    ::prctl(PR_SET_DUMPABLE, 0);
    ::signal(number, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    ::raise(number);  // pending until it is unblocked
    ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
    // Still here: we are PID 1, for which signals have no default action.
    ::_exit(128 + number);
}

}  // namespace holdfast
