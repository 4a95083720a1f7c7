#include "agent/process/quiet.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "agent/base/export.h"
#include "agent/base/raw_calls.h"
#include "agent/base/self_memory.h"
#include "agent/box/slot.h"
#include "agent/bridge/bridge.h"
#include "agent/heap/heap.h"
#include "agent/process/own_variables.h"
#include "agent/signals/table.h"
#include "base/exec_target.h"

namespace holdfast::agent {
namespace {

constinit std::atomic<bool> is_quiet{false};
// A child of vfork, in our memory, that set a filter for itself; 0: there was none.
constinit std::atomic<int> quiet_child{0};

constexpr std::uint64_t enough_memory = 64U << 20U;

std::uint64_t limit_of(__rlimit_resource_t which) {
    rlimit limit{};
    return ::getrlimit(which, &limit) == 0 ? limit.rlim_cur : RLIM_INFINITY;
}

// The whole address space, and what the kernel counts as data, in bytes; 0 if it cannot be read.
struct Size {
    std::uint64_t whole = 0, data = 0;
};
Size own_size() {
    const int fd = raw_open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    char text[128];
    const ssize_t size = raw_read(fd, text, sizeof text - 1);
    raw_close(fd);
    if (size <= 0) return {};
    text[size] = 0;
    std::uint64_t field[6] = {};
    char* at = text;
    for (std::uint64_t& pages : field) pages = std::strtoul(at, &at, 10);
    const auto page = static_cast<std::uint64_t>(::getpagesize());
    return {field[0] * page, field[5] * page};
}

bool leaves_little(std::uint64_t limit, std::uint64_t used) {
    return limit != RLIM_INFINITY && (limit < used || limit - used < enough_memory);
}

bool memory_is_scarce() {
    const std::uint64_t space = limit_of(RLIMIT_AS);
    const std::uint64_t data = limit_of(RLIMIT_DATA);
    if (space == RLIM_INFINITY && data == RLIM_INFINITY) return false;
    const Size used = own_size();
    return leaves_little(space, used.whole) || leaves_little(data, used.data);
}

bool sets_filter(long number, unsigned long a, unsigned long b, unsigned long c) {
    // Without a program the call only asks whether there are filters at all.
    if (number == SYS_prctl && a == PR_SET_SECCOMP)
        return b == SECCOMP_MODE_STRICT || (b == SECCOMP_MODE_FILTER && c != 0);
    if (number == SYS_seccomp)
        return a == SECCOMP_SET_MODE_STRICT || (a == SECCOMP_SET_MODE_FILTER && c != 0);
    return false;
}

}  // namespace

bool quiet() { return is_quiet.load(std::memory_order_relaxed); }

bool begins_quiet() {
    const int before = filters_before();
    if ((before >= 0 && seccomp_filters() > before) || memory_is_scarce()) is_quiet.store(true);
    return quiet();
}

void go_quiet() {
    if (quiet() || supervised_run().empty()) return;
    const KeepErrno keep;
    if (in_vfork_child()) {
        quiet_child.store(::getpid());
        return;
    }
    if (is_quiet.exchange(true)) return;
    stop_counting();
    stop_sampling_objects();
    leave_python();
    leave_slot();
    leave_signals();
}

bool watches_children() {
    if (quiet() || supervised_run().empty()) return false;
    const KeepErrno keep;
    const int child = quiet_child.load(std::memory_order_relaxed);
    if (child != 0 && child == ::getpid()) return false;
    // Before anything of ours is loaded there, as after a shell's `ulimit -d`.
    return !leaves_little(limit_of(RLIMIT_AS), 0) && !leaves_little(limit_of(RLIMIT_DATA), 0);
}

// Called by the assembly below before the two calls that may set a filter.
extern "C" __attribute__((visibility("hidden"))) void holdfast_before_syscall(long number,
                                                                              unsigned long a,
                                                                              unsigned long b,
                                                                              unsigned long c) {
    if (sets_filter(number, a, b, c)) go_quiet();
}

}  // namespace holdfast::agent

// syscall(2) exactly as libc has it, also in its use of the stack: some programs start processes
// with it that continue on another stack.
#if defined(__x86_64__)
static_assert(SYS_prctl == 157 && SYS_seccomp == 317);
asm(R"(
    .text
    .p2align 4
    .globl syscall
    .type syscall, @function
syscall:
    .cfi_startproc
    cmpq $157, %rdi
    je 2f
    cmpq $317, %rdi
    je 2f
1:  movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    syscall
    cmpq $-4095, %rax
    jae 3f
    ret
2:  pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    subq $8, %rsp
    .cfi_adjust_cfa_offset 56
    call holdfast_before_syscall
    addq $8, %rsp
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    .cfi_adjust_cfa_offset -56
    jmp 1b
3:  negl %eax
    pushq %rax
    .cfi_adjust_cfa_offset 8
    call *__errno_location@GOTPCREL(%rip)
    popq %rcx
    .cfi_adjust_cfa_offset -8
    movl %ecx, (%rax)
    movq $-1, %rax
    ret
    .cfi_endproc
    .size syscall, .-syscall
)");
#elif defined(__aarch64__)
static_assert(SYS_prctl == 167 && SYS_seccomp == 277);
asm(R"(
    .text
    .p2align 4
    .globl syscall
    .type syscall, %function
syscall:
    .cfi_startproc
    cmp x0, #167
    b.eq 2f
    cmp x0, #277
    b.eq 2f
1:  uxtw x8, w0
    mov x0, x1
    mov x1, x2
    mov x2, x3
    mov x3, x4
    mov x4, x5
    mov x5, x6
    mov x6, x7
    svc #0
    cmn x0, #4095
    b.cs 3f
    ret
2:  stp x29, x30, [sp, #-80]!
    .cfi_adjust_cfa_offset 80
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    bl holdfast_before_syscall
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldp x29, x30, [sp], #80
    .cfi_adjust_cfa_offset -80
    .cfi_restore x29
    .cfi_restore x30
    b 1b
3:  stp x29, x30, [sp, #-32]!
    .cfi_adjust_cfa_offset 32
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    neg w0, w0
    str w0, [sp, #16]
    bl __errno_location
    ldr w1, [sp, #16]
    str w1, [x0]
    mov x0, #-1
    ldp x29, x30, [sp], #32
    .cfi_adjust_cfa_offset -32
    .cfi_restore x29
    .cfi_restore x30
    ret
    .cfi_endproc
    .size syscall, .-syscall
)");
#endif

HOLDFAST_EXPORT int prctl(int option, ...) noexcept {
    va_list rest;
    va_start(rest, option);
    unsigned long word[4];
    for (unsigned long& each : word) each = va_arg(rest, unsigned long);
    va_end(rest);
    return static_cast<int>(::syscall(SYS_prctl, option, word[0], word[1], word[2], word[3]));
}
