// Child processes and signals. Every fork, wait and signal of the supervisor and of the command
// line tools is in child.cc, because a pid that is -1 or 0 by mistake would signal everybody;
// tools/check-calls enforces that.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

// A process that we started and have not reaped: until then the kernel cannot reuse its pid. A
// Child that was moved from, reaped, or never started does nothing.
class Child {
public:
    Child() = default;
    Child(Child&& other) noexcept
        : pid_(std::exchange(other.pid_, 0)), handle_(std::move(other.handle_)) {}
    Child& operator=(Child&& other) noexcept {
        pid_ = std::exchange(other.pid_, 0);
        handle_ = std::move(other.handle_);
        return *this;
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() = default;  // lets the process run on

    // Forks and runs `work` in the child. What `work` returns is the child's exit status; 1 if it
    // throws, because an exception that left the child would make it a second parent.
    template <std::invocable Work>
    static Result<Child> start(Work&& work) {
        const pid_t pid = split();
        if (pid == 0) {
            try {
                ::_exit(std::forward<Work>(work)());
            } catch (...) {
                ::_exit(1);
            }
        }
        if (pid < 0) return Error::from_errno("cannot fork");
        return Child(pid);
    }
    // One descriptor of a started program: `to` there is `from` here. The same number twice: it
    // stays open across exec.
    struct Descriptor {
        static constexpr int null = -1;  // `from`: /dev/null

        int to, from;
    };
    // Starts a program, found in PATH, in an environment of its own or in ours. Descriptors that
    // exec does not close stay open as well.
    static Result<Child> spawn(const std::vector<std::string>& command,
                               const std::vector<Descriptor>& descriptors,
                               const std::vector<std::string>* environment = nullptr);

    explicit operator bool() const { return pid_ > 0; }
    pid_t pid() const { return pid_; }           // 0: none
    int pidfd() const { return handle_.get(); }  // -1: none, or a kernel without

    // False if the child does not exist (any more).
    bool send(int signal) const;
    bool queue(int signal, void* value) const;
    // Whether it has ended. Does not reap it.
    bool has_ended() const;
    // Waits for its end, reaps it and returns the wait status: -1 if somebody else has reaped it,
    // nothing if there is no child.
    std::optional<int> wait();
    // The same without waiting: nothing while the child lives.
    std::optional<int> wait_if_ended();
    // SIGKILL, and waits for the end.
    void end();
    // Forgets the child: somebody else has reaped it, or will.
    void forget();

private:
    explicit Child(pid_t pid);
    static pid_t split();

    pid_t pid_ = 0;
    UniqueFd handle_;
};

// What happened to one of our children. A subreaper also gets children that it never started.
struct ChildChange {
    pid_t pid = 0;
    int code = 0;    // CLD_...
    int status = 0;  // exit status or signal

    bool ended() const;
    bool stopped() const;
};

// The next change. Leaves the child unreaped, so that /proc/PID can still be read. Never waits.
std::optional<ChildChange> next_child_change();
// Reaps the change and returns the wait status; nothing if somebody else has reaped it.
std::optional<int> take_child_change(const ChildChange& change);

// A process that is not our child: it may end at any time, and its pid may be reused.
class ProcessHandle {
public:
    // `still_it` checks the identity once the process is held: the pid may have been reused since
    // the caller looked at it.
    template <std::predicate Same>
    static std::optional<ProcessHandle> open(pid_t pid, Same&& still_it) {
        ProcessHandle handle;
        if (!handle.hold(pid) || !std::forward<Same>(still_it)()) return std::nullopt;
        return handle;
    }

    bool send(int signal) const;

private:
    ProcessHandle() = default;
    bool hold(pid_t pid);

    pid_t pid_ = 0;  // only where the kernel has no pidfds
    UniqueFd handle_;
};

// A descriptor that is readable once the process has ended; -1 on kernels without.
UniqueFd open_pidfd(pid_t pid);
bool send_by_pidfd(int pidfd, int signal);

// Call in a child: the kernel kills it when `parent` ends. Ends at once if `parent` has ended
// already.
void end_with_parent(pid_t parent);

}  // namespace holdfast
