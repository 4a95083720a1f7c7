#include "agent/box/slot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "agent/base/clock.h"
#include "agent/base/pages.h"
#include "agent/base/private_memory.h"
#include "agent/base/raw_calls.h"
#include "agent/base/spin_lock.h"
#include "agent/box/run_file.h"
#include "agent/process/own_process.h"
#include "agent/process/own_variables.h"
#include "agent/process/quiet.h"

namespace holdfast::agent {
namespace {

using format::AgentIndex;
using format::AgentSlot;

// In memory that fork wipes, so a child finds itself without a slot and may take its own.
struct Holder {
    std::atomic<AgentSlot*> slot;
    std::atomic<bool> tried;
    std::uint32_t number;
};
Holder* holder = nullptr;  // the mapping itself is inherited

constexpr std::uint64_t owned_by(int pid, std::uint32_t generation) {
    return static_cast<std::uint64_t>(generation) << 32U | static_cast<std::uint32_t>(pid);
}
constexpr int owner_pid(std::uint64_t owner) { return static_cast<int>(owner & 0xFFFFFFFFU); }

bool is_gone(int pid) { return pid <= 0 || (::kill(pid, 0) != 0 && errno == ESRCH); }

class Box {
public:
    Box() : fd_(open_run_file("agent.box", O_RDWR, format::agent_box_size)) {}
    ~Box() {
        if (index_.at != nullptr) ::munmap(index_.pages, index_.size);
        if (fd_ >= 0) raw_close(fd_);
    }
    Box(const Box&) = delete;
    Box& operator=(const Box&) = delete;

    AgentIndex* index() {
        if (fd_ < 0) return nullptr;
        if (index_.at == nullptr) index_ = map(format::agent_index_offset, format::header_space);
        return static_cast<AgentIndex*>(index_.at);
    }
    AgentSlot* slot(std::uint32_t number) const {
        const Mapped mapped = map(format::agent_slots_offset + number * format::agent_slot_space,
                                  format::agent_slot_space);
        if (mapped.at == nullptr) return nullptr;
        ::madvise(mapped.pages, mapped.size, MADV_DONTFORK);
        // When memory is short, the kernel drops these pages. Reading one back must not read 31
        // neighbours, too, because they would push out pages that others need.
        ::madvise(mapped.pages, mapped.size, MADV_RANDOM);
        return static_cast<AgentSlot*>(mapped.at);
    }
    std::int64_t ended(std::uint32_t number) const {
        return field(number, offsetof(AgentSlot, ended));
    }
    std::int64_t taken(std::uint32_t number) const {
        return field(number, offsetof(AgentSlot, taken));
    }
    std::uint64_t start_ticks(std::uint32_t number) const {
        return static_cast<std::uint64_t>(field(number, offsetof(AgentSlot, start_ticks)));
    }

private:
    struct Mapped {
        void* at = nullptr;
        void* pages = nullptr;
        std::size_t size = 0;  // of the pages
    };
    // A part may begin within a page: the file's layout has pages of 4 KiB, some arm64 kernels have
    // pages of 16 or 64 KiB.
    Mapped map(std::size_t offset, std::size_t size) const {
        const Pages around =
            pages_around(offset, size, static_cast<std::uint64_t>(::getpagesize()));
        const std::size_t before = offset - around.begin;
        const std::size_t whole = before + size;
        void* pages = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, fd_,
                             static_cast<off_t>(around.begin));
        if (pages == MAP_FAILED) return {};
        return {static_cast<std::uint8_t*>(pages) + before, pages, whole};
    }
    std::int64_t field(std::uint32_t number, std::size_t offset) const {
        std::int64_t value = 0;
        const std::size_t at =
            format::agent_slots_offset + number * format::agent_slot_space + offset;
        if (raw_pread(fd_, &value, sizeof value, at) != sizeof value) return 0;
        return value;
    }

    int fd_;
    Mapped index_;
};

bool claim(AgentIndex& index, std::uint32_t number, std::uint64_t expected, std::uint64_t wanted) {
    return std::atomic_ref(index.owner[number]).compare_exchange_strong(expected, wanted);
}

// Prefers a slot that was never used, then one that was given back long ago, then one whose process
// is dead: the verdict is made from what the dead have left.
std::uint32_t choose(const Box& box, AgentIndex& index, std::uint64_t own) {
    for (std::uint32_t i = 0; i < format::agent_slots; ++i) {
        // Already ours: this process has replaced its program by exec.
        const std::uint64_t owner = std::atomic_ref(index.owner[i]).load();
        if (owner != 0 && owner_pid(owner) == owner_pid(own) &&
            box.start_ticks(i) == own_start_ticks() && claim(index, i, owner, own))
            return i;
    }
    for (int round = 0; round < 3; ++round) {
        for (int attempts = 0; attempts < 4; ++attempts) {
            std::uint32_t best = format::agent_slots;
            std::int64_t best_time = INT64_MAX;
            std::uint64_t best_owner = 0;
            for (std::uint32_t i = 0; i < format::agent_slots; ++i) {
                const std::uint64_t owner = std::atomic_ref(index.owner[i]).load();
                const bool free = owner == 0;
                if (free != (round < 2)) continue;
                if (round == 2 && !is_gone(owner_pid(owner))) continue;
                const std::int64_t time = free ? box.ended(i) : box.taken(i);
                const bool unused = free && time == 0;
                if (round == 0 && !unused) continue;
                if (time < best_time) {
                    best = i;
                    best_time = time;
                    best_owner = owner;
                }
                if (round == 0) break;
            }
            if (best == format::agent_slots) break;
            if (claim(index, best, best_owner, own)) return best;
        }
    }
    return format::agent_slots;
}

AgentSlot* take() {
    Box box;
    AgentIndex* index = box.index();
    if (index == nullptr) return nullptr;
    const int pid = ::getpid();
    const std::uint32_t number = choose(box, *index, owned_by(pid, 1));
    if (number == format::agent_slots) {
        std::atomic_ref(index->refused).fetch_add(1);
        return nullptr;
    }
    AgentSlot* slot = box.slot(number);
    if (slot == nullptr) {
        std::atomic_ref(index->owner[number]).store(0);
        return nullptr;
    }
    const std::uint32_t generation = slot->generation;
    std::memset(static_cast<void*>(slot), 0, sizeof *slot);
    slot->generation = generation + 1;
    slot->pid = pid;
    slot->start_ticks = own_start_ticks();
    std::atomic_ref(slot->taken).store(now(), std::memory_order_release);
    holder->number = number;
    return slot;
}

}  // namespace

AgentSlot* slot() {
    return holder == nullptr ? nullptr : holder->slot.load(std::memory_order_acquire);
}

AgentSlot* take_slot() {
    if (AgentSlot* have = slot()) return have;
    if (supervised_run().empty() || quiet()) return nullptr;
    if (holder == nullptr) {
        void* memory = wiped_on_fork(sizeof(Holder));
        if (memory == nullptr) return nullptr;
        holder = static_cast<Holder*>(memory);
    }
    if (holder->tried.exchange(true)) return slot();
    const Busy inside;
    const int error = errno;
    AgentSlot* taken = take();
    errno = error;
    holder->slot.store(taken, std::memory_order_release);
    return taken;
}

void give_slot_back() {
    AgentSlot* have = slot();
    if (have == nullptr) return;
    const Busy inside;
    std::atomic_ref(have->ended).store(now(), std::memory_order_release);
    holder->slot.store(nullptr, std::memory_order_release);
    Box box;
    if (AgentIndex* index = box.index()) std::atomic_ref(index->owner[holder->number]).store(0);
    // The mapping stays: another thread may be in the middle of a store.
}

void bring_slot_back() {
    AgentSlot* have = slot();
    if (have == nullptr) return;
    constexpr std::size_t page = 4096;
    auto* bytes = reinterpret_cast<std::uint8_t*>(have);
    for (std::size_t at = 0; at < sizeof *have; at += page)
        std::atomic_ref(bytes[at]).fetch_or(0, std::memory_order_relaxed);
}

void leave_slot() {
    if (holder != nullptr) holder->slot.store(nullptr, std::memory_order_release);
}

const char* run_directory() {
    const Text run = supervised_run();
    return run.empty() ? nullptr : run.data;
}

}  // namespace holdfast::agent
