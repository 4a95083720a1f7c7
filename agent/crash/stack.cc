// The handler's stacks and the way onto them.
#include "agent/crash/stack.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "agent/signals/signal_stack.h"

// Frame pointer based unwind information holds across the change of stacks.
#if defined(__x86_64__)
asm(R"(
    .text
    .p2align 4
    .globl holdfast_call_on
    .hidden holdfast_call_on
    .type holdfast_call_on, @function
holdfast_call_on:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rsp
    andq $-16, %rsp
    movq %rsi, %rax
    movl %edx, %edi
    movq %rcx, %rsi
    movq %r8, %rdx
    callq *%rax
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size holdfast_call_on, .-holdfast_call_on
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .p2align 4
    .globl holdfast_call_on
    .hidden holdfast_call_on
    .type holdfast_call_on, %function
holdfast_call_on:
    .cfi_startproc
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa_register x29
    and x9, x0, #-16
    mov sp, x9
    mov x9, x1
    mov w0, w2
    mov x1, x3
    mov x2, x4
    blr x9
    mov sp, x29
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], #16
    .cfi_restore x29
    .cfi_restore x30
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
    .size holdfast_call_on, .-holdfast_call_on
)");
#endif

namespace holdfast::agent {

bool make_crash_stacks(CrashStacks& stacks) {
    constexpr std::size_t guard = 65536;  // a page, whatever its size
    constexpr std::size_t record_size = 256U << 10U;
    constexpr std::size_t helper_size = 128U << 10U;
    const std::size_t nested_size = signal_stack_size();
    const std::size_t whole = 3 * guard + nested_size + helper_size + record_size;
    // Not by mmap(3), which is one of the functions that we wrap.
    const long at = ::syscall(SYS_mmap, nullptr, whole, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at == -1) return false;
    char* place = reinterpret_cast<char*>(at) + guard;
    const auto open = [&place](std::size_t size) {
        char* low = place;
        place += size + guard;
        return ::mprotect(low, size, PROT_READ | PROT_WRITE) == 0 ? low : nullptr;
    };
    char* nested = open(nested_size);
    char* helper = open(helper_size);
    char* record = open(record_size);
    if (nested == nullptr || helper == nullptr || record == nullptr) return false;
    stacks.nested.ss_sp = nested;
    stacks.nested.ss_size = nested_size;
    stacks.helper_top = helper + helper_size;
    stacks.record_top = record + record_size;
    return true;
}

}  // namespace holdfast::agent
