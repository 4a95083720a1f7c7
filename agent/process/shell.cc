// system() and popen() start a shell in ways inside libc that our exec does not see. Here they use
// posix_spawn with a separate environment, because other threads may read `environ` meanwhile.
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "agent/base/export.h"
#include "agent/base/private_memory.h"
#include "agent/base/raw_calls.h"
#include "agent/base/real.h"
#include "agent/base/self_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/process/quiet.h"

namespace holdfast::agent {
namespace {

constinit Real<decltype(&::system)> real_system{"system"};
constinit Real<decltype(&::popen)> real_popen{"popen"};
constinit Real<decltype(&::pclose)> real_pclose{"pclose"};
constinit Real<decltype(&::fclose)> real_fclose{"fclose"};

// Wiped by fork: the child's locks are free, and it waits for no shell.
struct Shells {
    SpinLock keys_lock;
    // While any thread waits in system(), the terminal's keys are for the shell, not for us.
    int waiting;
    struct sigaction interrupt_before, quit_before;
    SpinLock streams_lock;
};

constinit std::atomic<Shells*> made{nullptr};

// Null: leave this call to libc.
Shells* shells() {
    if (!watches_children()) return nullptr;
    Shells* have = made.load(std::memory_order_acquire);
    if (have != nullptr) return have;
    auto* fresh = static_cast<Shells*>(wiped_on_fork(sizeof(Shells)));
    if (fresh == nullptr) return nullptr;
    return made.compare_exchange_strong(have, fresh) ? fresh : have;
}

void leave_keys_to_shell(Shells& own) {
    own.keys_lock.lock();
    if (own.waiting++ == 0) {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGINT, &ignore, &own.interrupt_before);
        ::sigaction(SIGQUIT, &ignore, &own.quit_before);
    }
    own.keys_lock.unlock();
}

void take_keys_back(Shells& own) {
    own.keys_lock.lock();
    if (own.waiting > 0 && --own.waiting == 0) {
        ::sigaction(SIGINT, &own.interrupt_before, nullptr);
        ::sigaction(SIGQUIT, &own.quit_before, nullptr);
    }
    own.keys_lock.unlock();
}

int wait_for(pid_t pid) {
    int status = -1;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return status;
}

struct Waiting {
    Shells* own;
    pid_t pid;
    sigset_t mask;
};

// The thread was cancelled while it waited: as libc does it, the shell goes with it.
void give_up(void* argument) {
    const auto& waiting = *static_cast<Waiting*>(argument);
    int state = 0;
    ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    ::kill(waiting.pid, SIGKILL);
    wait_for(waiting.pid);
    take_keys_back(*waiting.own);
    ::pthread_sigmask(SIG_SETMASK, &waiting.mask, nullptr);
    ::pthread_setcancelstate(state, nullptr);
}

// "sh -c command", since glibc 2.38 "sh -c -- command".
struct ShellWords {
    char shell[3] = "sh", flag[3] = "-c", end[3] = "--";
    char* words[5];
    explicit ShellWords(const char* command) {
        const char* version = ::gnu_get_libc_version();
        const bool with_end = version[0] == '2' && version[1] == '.' && ::atoi(version + 2) >= 38;
        char** next = words;
        *next++ = shell;
        *next++ = flag;
        if (with_end) *next++ = end;
        *next++ = const_cast<char*>(command);
        *next = nullptr;
    }
};

// The streams that popen() has handed out. A child of fork inherits them and may close them, too;
// so every change is one store.
struct Stream {
    FILE* file;
    pid_t pid;
    Stream* next;
};
constinit std::atomic<Stream*> streams{nullptr};

class StreamsLocked {
public:
    explicit StreamsLocked(Shells& own) : lock_(own.streams_lock) { lock_.lock(); }
    ~StreamsLocked() { lock_.unlock(); }
    StreamsLocked(const StreamsLocked&) = delete;
    StreamsLocked& operator=(const StreamsLocked&) = delete;

private:
    SpinLock& lock_;
};

// Removes the stream from the list; false: it is not ours.
bool take_stream(FILE* file, pid_t& pid) {
    if (streams.load(std::memory_order_acquire) == nullptr) return false;
    Shells* own = made.load(std::memory_order_acquire);
    Stream* found = nullptr;
    {
        const StreamsLocked locked(*own);
        Stream* before = nullptr;
        for (found = streams.load(); found != nullptr && found->file != file; found = found->next)
            before = found;
        if (found == nullptr) return false;
        if (before == nullptr)
            streams.store(found->next);
        else
            before->next = found->next;
    }
    pid = found->pid;
    ::free(found);
    return true;
}

struct Direction {
    bool read = false, write = false, close_on_exec = false;
};

bool parse(const char* mode, Direction& out) {
    for (; *mode != 0; ++mode) switch (*mode) {
        case 'r': out.read = true; break;
        case 'w': out.write = true; break;
        case 'e': out.close_on_exec = true; break;
        default: return false;
        }
    return out.read != out.write;
}

// 0 or an error number. The earlier streams are closed in the shell, as POSIX has it.
int start_shell(Shells& own, const char* command, int pipe_end, int wanted, Stream& stream) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    int error = ::posix_spawn_file_actions_adddup2(&actions, pipe_end, wanted);
    ShellWords shell(command);
    const StreamsLocked locked(own);
    for (const Stream* other = streams.load(); other != nullptr && error == 0; other = other->next)
        if (const int fd = ::fileno(other->file); fd != wanted && fd >= 0)
            error = ::posix_spawn_file_actions_addclose(&actions, fd);
    if (error == 0)
        error = ::posix_spawn(&stream.pid, "/bin/sh", &actions, nullptr, shell.words, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error == 0) {
        stream.next = streams.load();
        streams.store(&stream);
    }
    return error;
}

// Moves the shell's end of a pipe away from 0 and 1 if our other end is there: a descriptor copied
// onto itself would be closed in the shell.
int out_of_the_way(int fd) {
    if (fd > STDERR_FILENO) return fd;
    const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    raw_close(fd);
    errno = error;
    return moved;
}

FILE* open_shell(Shells& own, const char* command, const Direction& direction) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return nullptr;
    const int ours = direction.read ? ends[0] : ends[1];
    const int shells_end = out_of_the_way(direction.read ? ends[1] : ends[0]);
    auto* stream = static_cast<Stream*>(::malloc(sizeof(Stream)));
    FILE* file =
        shells_end < 0 || stream == nullptr ? nullptr : ::fdopen(ours, direction.read ? "r" : "w");
    int error = errno;
    if (file != nullptr) {
        stream->file = file;
        error = start_shell(own, command, shells_end, direction.read ? STDOUT_FILENO : STDIN_FILENO,
                            *stream);
        if (error == 0) {
            raw_close(shells_end);
            if (!direction.close_on_exec) ::fcntl(ours, F_SETFD, 0);
            return file;
        }
        real_fclose()(file);
    } else {
        raw_close(ours);
    }
    if (shells_end >= 0) raw_close(shells_end);
    ::free(stream);
    errno = error;
    return nullptr;
}

}  // namespace
}  // namespace holdfast::agent

using namespace holdfast::agent;

// As POSIX describes it, by posix_spawn (which is in front of libc's and puts our entries back).
HOLDFAST_EXPORT int system(const char* command) {
    Shells* own = command == nullptr ? nullptr : shells();
    if (own == nullptr) return real_system()(command);
    Waiting waiting{own, -1, {}};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    leave_keys_to_shell(*own);
    ::pthread_sigmask(SIG_BLOCK, &child, &waiting.mask);

    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    if (own->interrupt_before.sa_handler != SIG_IGN) sigaddset(&defaults, SIGINT);
    if (own->quit_before.sa_handler != SIG_IGN) sigaddset(&defaults, SIGQUIT);
    ::posix_spawnattr_setsigmask(&attributes, &waiting.mask);
    ::posix_spawnattr_setsigdefault(&attributes, &defaults);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    ShellWords shell(command);
    const int failed =
        ::posix_spawn(&waiting.pid, "/bin/sh", nullptr, &attributes, shell.words, environ);
    ::posix_spawnattr_destroy(&attributes);
    int status = W_EXITCODE(127, 0);
    int error = failed != 0 ? failed : errno;
    if (failed == 0) {
        pthread_cleanup_push(give_up, &waiting);
        status = wait_for(waiting.pid);
        if (status == -1) error = errno;
        pthread_cleanup_pop(0);
    }
    take_keys_back(*own);
    ::pthread_sigmask(SIG_SETMASK, &waiting.mask, nullptr);
    errno = error;
    return status;
}

HOLDFAST_EXPORT FILE* popen(const char* command, const char* mode) {
    Shells* own = shells();
    Direction direction;
    if (own == nullptr || !parse(mode, direction)) return real_popen()(command, mode);
    return open_shell(*own, command, direction);
}

HOLDFAST_EXPORT int pclose(FILE* file) {
    pid_t pid = -1;
    if (!take_stream(file, pid)) return real_pclose()(file);
    real_fclose()(file);
    return wait_for(pid);
}

// libc waits for the shell here, too.
HOLDFAST_EXPORT int fclose(FILE* file) {
    pid_t pid = -1;
    if (!take_stream(file, pid)) return real_fclose()(file);
    real_fclose()(file);
    return wait_for(pid);
}
