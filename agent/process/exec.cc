// Makes programs started by this one watched, too: wraps exec and posix_spawn, and restores the
// environment entries that were hidden. Nothing here may allocate: a vforked child calls it.
#include <alloca.h>
#include <spawn.h>
#include <stdarg.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "agent/base/export.h"
#include "agent/base/real.h"
#include "agent/process/own_variables.h"
#include "agent/process/spawn_environment.h"
#include "base/exec_target.h"

namespace holdfast::agent {
namespace {

using Execute = int (*)(const char*, char* const[], char* const[]);
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                      const posix_spawnattr_t*, char* const[], char* const[]);
constinit Real<Execute> real_execve{"execve"};
constinit Real<Execute> real_execvpe{"execvpe"};
constinit Real<int (*)(int, char* const[], char* const[])> real_fexecve{"fexecve"};
constinit Real<int (*)(int, const char*, char* const[], char* const[], int)> real_execveat{
    "execveat"};
constinit Real<Spawn> real_posix_spawn{"posix_spawn"};
constinit Real<Spawn> real_posix_spawnp{"posix_spawnp"};

// Arguments and environment may fill to the last byte what the kernel takes: then without ours.
template <class Start>
int execute(Start start, char* const* ours, char* const* theirs) {
    const int result = start(ours);
    return errno == E2BIG && ours != theirs ? start(theirs) : result;
}

template <class Start>
int spawn(Start start, char* const* ours, char* const* theirs) {
    const int error = start(ours);
    return error == E2BIG && ours != theirs ? start(theirs) : error;
}

}  // namespace
}  // namespace holdfast::agent

using namespace holdfast;
using namespace holdfast::agent;

HOLDFAST_EXPORT int execve(const char* path, char* const argv[], char* const envp[]) {
    HOLDFAST_SPAWN_ENVIRONMENT(environment, envp, agent_target(path));
    return execute([&](char* const* entries) { return real_execve()(path, argv, entries); },
                   environment, envp);
}

HOLDFAST_EXPORT int execvpe(const char* file, char* const argv[], char* const envp[]) {
    HOLDFAST_SPAWN_ENVIRONMENT(environment, envp, agent_target_by_name(file));
    return execute([&](char* const* entries) { return real_execvpe()(file, argv, entries); },
                   environment, envp);
}

HOLDFAST_EXPORT int execv(const char* path, char* const argv[]) {
    return ::execve(path, argv, environ);
}

HOLDFAST_EXPORT int execvp(const char* file, char* const argv[]) {
    return ::execvpe(file, argv, environ);
}

HOLDFAST_EXPORT int fexecve(int fd, char* const argv[], char* const envp[]) {
    HOLDFAST_SPAWN_ENVIRONMENT(environment, envp, AgentTarget::hands_on);
    return execute([&](char* const* entries) { return real_fexecve()(fd, argv, entries); },
                   environment, envp);
}

HOLDFAST_EXPORT int execveat(int directory, const char* path, char* const argv[],
                             char* const envp[], int flags) {
    if (real_execveat() == nullptr) {
        errno = ENOSYS;
        return -1;
    }
    HOLDFAST_SPAWN_ENVIRONMENT(environment, envp, AgentTarget::hands_on);
    return execute(
        [&](char* const* entries) {
            return real_execveat()(directory, path, argv, entries, flags);
        },
        environment, envp);
}

// The words of execl and its kin, collected on the stack; `environment`, for execle, comes after.
#define HOLDFAST_COLLECT(words, first)                                         \
    va_list rest;                                                              \
    std::size_t count = 1;                                                     \
    va_start(rest, first);                                                     \
    while (va_arg(rest, char*) != nullptr) ++count;                            \
    va_end(rest);                                                              \
    char** words = static_cast<char**>(::alloca((count + 1) * sizeof(char*))); \
    va_start(rest, first);                                                     \
    words[0] = const_cast<char*>(first);                                       \
    for (std::size_t i = 1; i <= count; ++i) words[i] = va_arg(rest, char*)

HOLDFAST_EXPORT int execl(const char* path, const char* first, ...) {
    HOLDFAST_COLLECT(words, first);
    va_end(rest);
    return ::execve(path, words, environ);
}

HOLDFAST_EXPORT int execlp(const char* file, const char* first, ...) {
    HOLDFAST_COLLECT(words, first);
    va_end(rest);
    return ::execvpe(file, words, environ);
}

HOLDFAST_EXPORT int execle(const char* path, const char* first, ...) {
    HOLDFAST_COLLECT(words, first);
    char* const* environment = va_arg(rest, char* const*);
    va_end(rest);
    return ::execve(path, words, environment);
}

HOLDFAST_EXPORT int posix_spawn(pid_t* pid, const char* path,
                                const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const argv[],
                                char* const envp[]) {
    HOLDFAST_SPAWN_ENVIRONMENT(environment, envp, agent_target(path));
    return spawn(
        [&](char* const* entries) {
            return real_posix_spawn()(pid, path, actions, attributes, argv, entries);
        },
        environment, envp);
}

HOLDFAST_EXPORT int posix_spawnp(pid_t* pid, const char* file,
                                 const posix_spawn_file_actions_t* actions,
                                 const posix_spawnattr_t* attributes, char* const argv[],
                                 char* const envp[]) {
    HOLDFAST_SPAWN_ENVIRONMENT(environment, envp, agent_target_by_name(file));
    return spawn(
        [&](char* const* entries) {
            return real_posix_spawnp()(pid, file, actions, attributes, argv, entries);
        },
        environment, envp);
}
