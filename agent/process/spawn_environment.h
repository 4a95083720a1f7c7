// The environment for a program about to be started: on the caller's stack if it is small, else in
// mapped memory, because a thread's stack may be only 16 KiB.
#pragma once

#include <alloca.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/base/self_memory.h"
#include "agent/process/own_variables.h"
#include "agent/process/quiet.h"
#include "agent/signals/signal_stack.h"
#include "agent/signals/table.h"
#include "base/exec_target.h"

namespace holdfast::agent {

// Given back when the call that needs it has returned.
class SpawnMemory {
public:
    SpawnMemory() = default;
    SpawnMemory(const SpawnMemory&) = delete;
    SpawnMemory& operator=(const SpawnMemory&) = delete;
    ~SpawnMemory() {
        const KeepErrno keep;
        if (at_ != nullptr) ::syscall(SYS_munmap, at_, size_);
    }

    // True: use alloca. The child of a vfork has no other choice, since what it maps would stay in
    // its parent; on a small stack it has none at all, and false is followed by a null from map().
    static bool on_stack(std::size_t size) {
        constexpr std::size_t little = 2048, most = 32U << 10U;
        return size <= little || (size <= most && !own_process() && !has_small_stack());
    }
    void* map(std::size_t size) {
        if (!own_process()) return nullptr;
        const long at = ::syscall(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == -1) return nullptr;
        at_ = reinterpret_cast<void*>(at);
        size_ = size;
        return at_;
    }

private:
    void* at_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace holdfast::agent

// Declares `char* const* name`: `envp` with our entries, or `envp` itself if we leave the program
// alone (not supervised, or not for this `target`). A macro, because alloca's memory ends with the
// function it is in.
#define HOLDFAST_SPAWN_ENVIRONMENT(name, envp, target)                                           \
    char* const* name = (envp);                                                                  \
    holdfast::agent::SpawnMemory name##_memory;                                                  \
    if (holdfast::agent::watches_children()) {                                                   \
        const holdfast::agent::KeepErrno keep;                                                   \
        const holdfast::AgentTarget judged = (target);                                           \
        if (judged != holdfast::AgentTarget::cannot) {                                           \
            const std::size_t size = holdfast::agent::restored_size(envp);                       \
            void* room = holdfast::agent::SpawnMemory::on_stack(size) ? ::alloca(size)           \
                                                                      : name##_memory.map(size); \
            const bool hands_on = judged == holdfast::AgentTarget::hands_on;                     \
            char* const* restored =                                                              \
                room == nullptr ? nullptr                                                        \
                                : holdfast::agent::restore_environment(envp, room, hands_on);    \
            if (restored != nullptr) (name) = restored;                                          \
        }                                                                                        \
    }
