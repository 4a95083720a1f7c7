// Alternate stacks: made, kept for the next thread, and hidden from the program's own questions.
#include "agent/signals/signal_stack.h"

#include <errno.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "agent/base/export.h"
#include "agent/signals/program_stack.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

namespace holdfast::agent {

namespace {

constinit std::atomic<bool> offered{false};

thread_local SignalStack* own_stack __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local bool small_stack __attribute__((tls_model("initial-exec"))) = false;
// The calling thread's own stack; 0: not known.
thread_local std::uintptr_t stack_top __attribute__((tls_model("initial-exec"))) = 0;
thread_local std::size_t stack_size __attribute__((tls_model("initial-exec"))) = 0;

// Threads come and go by the thousand in some programs; mapping memory each time would show.
constinit std::atomic<SignalStack*> spare[16] = {};

std::size_t page_size() {
    const unsigned long size = ::getauxval(AT_PAGESZ);
    return size == 0 ? 4096 : size;
}

long kernel_altstack(const stack_t* next, stack_t* before) {
    return ::syscall(SYS_sigaltstack, next, before);
}

std::uintptr_t here() { return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)); }

// As libc chooses it when a program starts; rather too much: what lies below is seldom a stack.
std::size_t usual_stack_size() {
    constexpr std::size_t least = 8U << 20U;
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return least;
    return limit.rlim_cur < least ? least : limit.rlim_cur;
}

// The kernel keeps everything else so far away from the main thread's, or its limit if that is
// more.
std::size_t main_stack_size() {
    constexpr std::size_t gap = 128U << 20U;
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur < gap) return gap;
    return limit.rlim_cur;
}

void install(SignalStack* stack) {
    stack_t shape{};
    shape.ss_sp = stack + 1;
    shape.ss_size = signal_stack_size() - sizeof *stack;
    kernel_altstack(&shape, nullptr);
}

}  // namespace

bool has_small_stack() { return small_stack; }

void note_small_stack() { small_stack = true; }

void note_stack_begin(std::size_t size) {
    stack_top = here();
    stack_size = size != 0 ? size : usual_stack_size();
}

bool may_lack_room() {
    if (small_stack) return true;
    return stack_top != 0 && stack_top - here() > stack_size;
}

bool is_own_signal_stack(const stack_t& shape) {
    return own_stack != nullptr && shape.ss_sp == static_cast<void*>(own_stack + 1);
}

std::size_t signal_frame_size() {
    const std::size_t least = ::getauxval(AT_MINSIGSTKSZ);
    return least == 0 ? 8192 : least;
}

std::size_t signal_stack_size() {
    const std::size_t page = page_size();
    const std::size_t wanted = signal_frame_size() + (64U << 10U);
    return (wanted + page - 1) / page * page;
}

void offer_signal_stacks() {
    stack_top = ::getauxval(AT_EXECFN);  // above all of it
    stack_size = main_stack_size();
    offered.store(true, std::memory_order_relaxed);
}

SignalStack* take_signal_stack() {
    if (!offered.load(std::memory_order_relaxed)) return nullptr;
    for (auto& place : spare)
        if (SignalStack* stack = place.exchange(nullptr, std::memory_order_acquire)) return stack;
    const std::size_t guard = page_size();
    const long at = ::syscall(SYS_mmap, nullptr, guard + signal_stack_size(), PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at == -1) return nullptr;
    void* low = reinterpret_cast<char*>(at) + guard;
    if (::mprotect(low, signal_stack_size(), PROT_READ | PROT_WRITE) != 0) {
        ::syscall(SYS_munmap, at, guard + signal_stack_size());
        return nullptr;
    }
    return static_cast<SignalStack*>(low);
}

void use_signal_stack(SignalStack* stack) {
    own_stack = stack;
    stack_t now{};
    if (kernel_altstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) != 0) install(stack);
}

void drop_signal_stack() {
    offered.store(false, std::memory_order_relaxed);
    stack_t now{};
    if (own_stack == nullptr || kernel_altstack(nullptr, &now) != 0) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    if (is_own_signal_stack(now)) kernel_altstack(&none, nullptr);
    own_stack = nullptr;
}

void give_signal_stack_back(SignalStack* stack) {
    if (!offered.load(std::memory_order_relaxed)) return;
    stack_t now{};
    if (kernel_altstack(nullptr, &now) == 0 && is_own_signal_stack(now)) {
        // The thread ends within a signal handler, on this very stack: its memory is lost.
        if ((now.ss_flags & SS_ONSTACK) != 0) return;
        stack_t none{};
        none.ss_flags = SS_DISABLE;
        kernel_altstack(&none, nullptr);
    }
    own_stack = nullptr;
    keep_for_later(stack);
}

void keep_for_later(SignalStack* stack) {
    for (auto& place : spare) {
        SignalStack* empty = nullptr;
        if (place.compare_exchange_strong(empty, stack, std::memory_order_release)) return;
    }
    const std::size_t guard = page_size();
    ::syscall(SYS_munmap, reinterpret_cast<char*>(stack) - guard, guard + signal_stack_size());
}

}  // namespace holdfast::agent

using namespace holdfast::agent;

HOLDFAST_EXPORT int sigaltstack(const stack_t* next, stack_t* before) noexcept {
    if (next != nullptr && (next->ss_flags & SS_DISABLE) == 0) program_sets_stack();
    stack_t now{};
    if (kernel_altstack(nullptr, &now) != 0 || own_stack == nullptr)
        return static_cast<int>(kernel_altstack(next, before));
    const bool ours = is_own_signal_stack(now);
    if (next != nullptr) {
        // A program that has none left gets ours again.
        const bool disable = (next->ss_flags & SS_DISABLE) != 0;
        if (!(ours && disable) && kernel_altstack(next, nullptr) != 0) return -1;
        if (disable && !ours) install(own_stack);
    }
    if (before != nullptr) {
        if (ours) {
            now = {};
            now.ss_flags = SS_DISABLE;
        }
        *before = now;
    }
    return 0;
}
