// A program that crashes on demand and leaves a crash record as the agent does, so that the tests
// unwind real registers and a real stack. Usage: crash_sample BOX SCENARIO LIBRARY
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdint>
#include <initializer_list>

#include "record/agent_format.h"

namespace {

using namespace holdfast::format;

Crash* crash = nullptr;

void save_registers(const ucontext_t& context) {
#if defined(__x86_64__)
    crash->machine = CrashMachine::x86_64;
    crash->register_count = NGREG;
    for (int i = 0; i < NGREG; ++i)
        crash->registers[i] = static_cast<std::uint64_t>(context.uc_mcontext.gregs[i]);
    crash->pc = crash->registers[REG_RIP];
    crash->sp = crash->registers[REG_RSP];
#else
    crash->machine = CrashMachine::aarch64;
    crash->register_count = 34;
    for (int i = 0; i < 31; ++i) crash->registers[i] = context.uc_mcontext.regs[i];
    crash->registers[31] = crash->sp = context.uc_mcontext.sp;
    crash->registers[32] = crash->pc = context.uc_mcontext.pc;
    crash->registers[33] = context.uc_mcontext.pstate;
#endif
}

void save_stack() {
    pthread_attr_t attributes;
    if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return;
    void* low = nullptr;
    std::size_t size = 0;
    ::pthread_attr_getstack(&attributes, &low, &size);
    ::pthread_attr_destroy(&attributes);
    crash->stack_low = reinterpret_cast<std::uint64_t>(low);
    crash->stack_high = crash->stack_low + size;
    std::uint64_t from = crash->sp;
    std::uint64_t end = crash->stack_high;
    if (end - from > sizeof(crash->stack)) end = from + sizeof(crash->stack);
    const int memory = ::open("/proc/self/mem", O_RDONLY);
    // If the stack is exhausted, the pointer is in the guard: skip to the first page that exists.
    for (char byte; from < end && ::pread(memory, &byte, 1, static_cast<off_t>(from)) != 1;)
        from = (from & ~std::uint64_t{4095}) + 4096;
    crash->stack_copy_from = from;
    while (from < end) {
        const std::size_t piece = end - from < 512 ? end - from : 512;
        const std::uint64_t at = from - crash->stack_copy_from;
        if (::pread(memory, crash->stack + at, piece, static_cast<off_t>(from)) <= 0) break;
        from += piece;
    }
    crash->stack_size = static_cast<std::uint32_t>(from - crash->stack_copy_from);
    ::close(memory);
}

void save_modules() {
    FILE* maps = ::fopen("/proc/self/maps", "r");
    char line[4200];
    while (::fgets(line, sizeof(line), maps) != nullptr) {
        unsigned long long start = 0, end = 0, offset = 0, inode = 0;
        char rights[8] = "";
        int path = 0;
        if (::sscanf(line, "%llx-%llx %7s %llx %*s %llu %n", &start, &end, rights, &offset, &inode,
                     &path) < 5 ||
            ::strchr(rights, 'x') == nullptr)
            continue;
        const std::size_t room = sizeof(crash->modules) - crash->modules_size;
        const int wrote =
            ::snprintf(crash->modules + crash->modules_size, room, "%llx-%llx %llx %llu %s", start,
                       end, offset, inode, path > 0 && line[path] != '\0' ? line + path : "\n");
        if (wrote < 0 || static_cast<std::size_t>(wrote) >= room) break;
        crash->modules_size += static_cast<std::uint32_t>(wrote);
    }
    ::fclose(maps);
}

void on_crash(int number, siginfo_t* info, void* context) {
    ::signal(number, SIG_DFL);
    if (crash->state != CrashState::empty) return;
    crash->state = CrashState::writing;
    crash->pid = ::getpid();
    crash->tid = ::gettid();
    crash->signal = number;
    crash->code = info->si_code;
    crash->address = reinterpret_cast<std::uint64_t>(info->si_addr);
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    crash->time = static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    save_registers(*static_cast<ucontext_t*>(context));
    save_stack();
    save_modules();
    crash->state = CrashState::complete;
}

}  // namespace

// The library calls this in every thread it starts: such a stack belongs to one thread.
extern "C" void sample_own_handler_stack() {
    constexpr std::size_t size = std::size_t{1} << 18U;
    const stack_t stack{::malloc(size), 0, size};
    ::sigaltstack(&stack, nullptr);
}

int main(int count, char** arguments) {
    if (count != 4) return 2;
    const int file = ::open(arguments[1], O_RDWR);
    void* box = ::mmap(nullptr, crash_box_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (box == MAP_FAILED) return 3;
    crash = reinterpret_cast<Crash*>(static_cast<char*>(box) + crash_slots_offset);
    sample_own_handler_stack();
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
        ::sigaction(number, &action, nullptr);
    void* library = ::dlopen(arguments[3], RTLD_NOW);
    if (library == nullptr) return 4;
    const auto run = reinterpret_cast<int (*)(const char*)>(::dlsym(library, "sample_run"));
    return run == nullptr ? 5 : run(arguments[2]);
}
