// Writes a crash down. The process is damaged: memory is read only where it cannot fault, nothing
// is allocated, no lock is taken.
#include "agent/crash/record.h"

#include <dlfcn.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>

#include "agent/base/clock.h"
#include "agent/crash/crash_slot.h"
#include "agent/crash/exception.h"
#include "agent/crash/maps.h"
#include "agent/crash/memory.h"
#include "agent/crash/stderr.h"
#include "agent/crash/threads.h"
#include "agent/process/own_process.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

using format::Crash;

// glibc's `struct abort_msg_s* __abort_msg`: a size, then the text.
std::uintptr_t abort_message = 0;

void note_signal_facts(Crash& crash, int number, const siginfo_t& info) {
    crash.pid = ::getpid();
    crash.tid = own_thread_id();
    crash.signal = number;
    crash.code = info.si_code;
    crash.error = info.si_errno;
    crash.time = now();
    crash.start_ticks = own_start_ticks();
    if (was_sent(info)) {
        crash.sender_pid = info.si_pid;
        crash.sender_uid = static_cast<std::int32_t>(info.si_uid);
    } else {
        crash.address = reinterpret_cast<std::uintptr_t>(info.si_addr);
    }
    ::prctl(PR_GET_NAME, crash.thread);
}

void note_registers(Crash& crash, const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    crash.machine = format::CrashMachine::x86_64;
    crash.register_count = NGREG;
    for (int i = 0; i < NGREG; ++i)
        crash.registers[i] = static_cast<std::uint64_t>(machine.gregs[i]);
    crash.pc = static_cast<std::uint64_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    crash.machine = format::CrashMachine::aarch64;
    crash.register_count = 34;
    for (int i = 0; i < 31; ++i) crash.registers[i] = machine.regs[i];
    crash.registers[31] = machine.sp;
    crash.registers[32] = machine.pc;
    crash.registers[33] = machine.pstate;
    crash.pc = machine.pc;
#endif
    crash.sp = stack_pointer(context);
    crash.instruction_size = static_cast<std::uint32_t>(
        read_memory(crash.pc, crash.instruction, sizeof crash.instruction));
}

void note_abort_text(Crash& crash) {
    std::uintptr_t message = 0;
    std::uint32_t size = 0;
    if (abort_message == 0 || !read_value(abort_message, message) || message == 0 ||
        !read_value(message, size))
        return;
    // The size is of the whole mapping; the text ends earlier.
    const std::size_t room = size < sizeof crash.abort_text ? size : sizeof crash.abort_text;
    if (room == 0) return;
    const std::size_t length = read_string(message + sizeof size, crash.abort_text, room);
    std::atomic_ref(crash.abort_size)
        .store(static_cast<std::uint32_t>(length), std::memory_order_release);
}

}  // namespace

void prepare_record() {
    abort_message = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "__abort_msg"));
    if (abort_message == 0)
        abort_message = reinterpret_cast<std::uintptr_t>(
            ::dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE"));
}

std::uintptr_t stack_pointer(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
    return machine.sp;
#endif
}

void fill_record(Crash& crash, int number, const siginfo_t& info, const void* context,
                 void* helper_stack_top) {
    const RoomForDescriptors room;
    note_signal_facts(crash, number, info);
    note_registers(crash, context);
    if (number == SIGABRT) note_abort_text(crash);
    copy_stack(crash);
    list_modules(crash);
    const std::size_t python = write_all_stacks(crash.python, sizeof crash.python, crash.tid);
    std::atomic_ref(crash.python_size)
        .store(static_cast<std::uint32_t>(python), std::memory_order_release);
    list_threads(crash);
    save_unread_stderr(crash);
    const ThrownException thrown = number == SIGABRT ? find_exception(crash) : ThrownException{};
    set_state(crash, format::CrashState::complete);
    ask_exception(thrown, crash, helper_stack_top);
}

}  // namespace holdfast::agent
