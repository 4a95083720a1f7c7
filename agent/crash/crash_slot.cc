// Places in crash.box, taken by every process of the run in turn.
#include "agent/crash/crash_slot.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstring>

#include "agent/box/run_file.h"
#include "agent/crash/memory.h"

namespace holdfast::agent {
namespace {

using format::Crash;
using format::CrashState;

constinit std::atomic<char*> box{nullptr};

Crash* slot_at(char* mapped, std::uint32_t number) {
    return reinterpret_cast<Crash*>(mapped + format::crash_slots_offset +
                                    number * format::crash_slot_space);
}

// Clears everything before the long texts; their sizes are part of it.
Crash* cleared(Crash* crash) {
    char* bytes = reinterpret_cast<char*>(crash);
    std::memset(bytes + sizeof crash->state, 0, offsetof(Crash, abort_text) - sizeof crash->state);
    return crash;
}

}  // namespace

void map_crash_box() {
    if (box.load(std::memory_order_acquire) != nullptr) return;
    const int fd = open_run_file("crash.box", O_RDWR, format::crash_box_size);
    if (fd < 0) return;
    const long at = ::syscall(SYS_mmap, nullptr, format::crash_box_size, PROT_READ | PROT_WRITE,
                              MAP_SHARED, fd, 0);
    ::syscall(SYS_close, fd);
    if (at != -1) box.store(reinterpret_cast<char*>(at), std::memory_order_release);
}

Crash* take_crash_slot(Crash* own) {
    map_crash_box();
    char* mapped = box.load(std::memory_order_acquire);
    if (mapped == nullptr) return nullptr;
    if (own != nullptr) {
        set_state(*own, CrashState::writing);
        return cleared(own);
    }
    auto& index = *reinterpret_cast<format::CrashIndex*>(mapped + format::crash_index_offset);
    const std::uint32_t number = std::atomic_ref(index.taken).fetch_add(1);
    if (number < format::crash_slots) {
        Crash* crash = slot_at(mapped, number);
        set_state(*crash, CrashState::writing);
        return cleared(crash);
    }
    for (std::uint32_t i = 0; i < format::crash_slots; ++i) {
        Crash* crash = slot_at(mapped, i);
        CrashState expected = CrashState::survived;
        if (std::atomic_ref(crash->state).compare_exchange_strong(expected, CrashState::writing))
            return cleared(crash);
    }
    return nullptr;
}

void set_state(Crash& crash, CrashState state) {
    std::atomic_ref(crash.state).store(state, std::memory_order_release);
}

CrashState state_of(const Crash& crash) {
    CrashState state = CrashState::empty;
    read_value(reinterpret_cast<std::uintptr_t>(&crash.state), state);
    return state;
}

void mark_survived(Crash& crash) {
    CrashState survived = CrashState::survived;
    iovec from{&survived, sizeof survived};
    iovec to{&crash.state, sizeof crash.state};
    ::syscall(SYS_process_vm_writev, ::getpid(), &from, 1UL, &to, 1UL, 0UL);
}

void mark_all_survived() {
    char* mapped = box.load(std::memory_order_acquire);
    if (mapped == nullptr) return;
    for (std::uint32_t i = 0; i < format::crash_slots; ++i) {
        Crash* crash = slot_at(mapped, i);
        std::int32_t pid = 0;
        if (state_of(*crash) == CrashState::complete &&
            read_value(reinterpret_cast<std::uintptr_t>(&crash->pid), pid) && pid == ::getpid())
            mark_survived(*crash);
    }
}

}  // namespace holdfast::agent
