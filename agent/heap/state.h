// What counting needs to remember, in memory that fork wipes: a child starts from nothing.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/base/spin_lock.h"
#include "agent/heap/next.h"
#include "agent/heap/regions.h"
#include "agent/heap/sites.h"
#include "record/agent_format.h"

namespace holdfast::agent {

inline constexpr std::uint64_t base_interval = large_block;
// However much a program asks for: blocks of this size are always counted.
inline constexpr std::uint64_t widest_interval = 32U << 20U;

// What no hook saw; see heap/unseen.h. As it was at the last look.
struct Unseen {
    std::int64_t anonymous;
    std::int64_t base;            // memory from before the first look; counts as explained
    std::int64_t explained;       // what the hooks saw, plus freed memory that malloc may have kept
    std::int64_t highest;         // the most that the hooks saw at any time since that look
    std::uint64_t variance_kib2;  // of what is explained
    std::uint64_t bytes;          // charged to lines
};

struct HeapState {
    std::atomic<std::uint32_t> stage;           // 0 untouched (or wiped), 1 being made, 2 ready
    SpinLock lock;                              // over everything below the line
    std::atomic<std::uint64_t> interval;        // mean bytes between samples, now
    std::atomic<std::uint64_t> least_interval;  // raised when the table of blocks ran full
    std::atomic<std::int64_t> period_end;
    std::atomic<std::uint32_t> period_effort;
    std::atomic<std::int64_t> early_until;  // visits are frequent before
    std::atomic<std::int64_t> next_look;    // on_sample
    std::atomic<std::int64_t> next_window, next_resident;
    std::atomic<std::uint64_t> dropped;
    std::atomic<std::uint64_t> step, gpu_allocated;
    // Blocks freed while the lock was taken: the next holder removes them first.
    static constexpr std::uint32_t late_capacity = 64;
    std::atomic<std::uint64_t> late[late_capacity];
    std::atomic<std::uint32_t> late_count;
    std::atomic<std::uint32_t> regions;  // how many there are: munmap asks

    // ---- under the lock ----
    Holdings held;
    SiteIndex index;
    RawFrame main_frames[Asker::most];  // the main thread's, a moment ago
    std::size_t main_count;
    std::int64_t main_time;
    std::uint64_t random;
    Unseen unseen;
    std::int64_t windows_began;
    std::int64_t window_end;     // the last one's
    std::uint64_t window_above;  // a window ends early once more than this is live
};

// Null before start_counting(), and where there is no such memory. Made ready for this process.
HeapState* heap_state();
// Counts the processes along a line of forks; a thread's own state is of one of them.
std::uint32_t heap_epoch();
extern constinit std::atomic<HeapState*> heap_made __attribute__((visibility("hidden")));
inline bool counting() { return heap_made.load(std::memory_order_relaxed) != nullptr; }
// False: this block is surely not counted. Takes no lock and reads no half-made state.
inline bool may_hold(const void* address) {
    const HeapState* state = heap_made.load(std::memory_order_acquire);
    return state != nullptr && state->held.blocks.may_have(address);
}

// The lock, and Busy around it. `held()` is false if it was not free in reasonable time.
class HeapLock {
public:
    explicit HeapLock(HeapState& state, int patience = 200);
    ~HeapLock();
    HeapLock(const HeapLock&) = delete;
    HeapLock& operator=(const HeapLock&) = delete;
    bool held() const { return held_; }

private:
    Busy busy_;
    HeapState& state_;
    bool held_ = false;
};

// Off the fast path, at every visit: the rate of sampling, the end of a window, a look for Python.
void housekeeping(HeapState& state, std::int64_t now);
// The effort of sampling in this period; if it is too high, the interval widens. A freed block
// costs more than one that stays, because churn is worth less than growth.
inline constexpr std::uint32_t effort_to_count = 1, effort_to_forget = 4;
void spend_effort(HeapState& state, std::uint32_t effort);
void close_window(HeapState& state, format::AgentMemory& memory, std::int64_t now);
// A leak of hundreds of MiB a second is over before the clock has ended enough windows. So growth
// ends a window, too: whenever live memory exceeds its highest value by a sixteenth. That bounds
// their number by the logarithm of what a process holds. Under the lock.
void follow_growth(HeapState& state, format::AgentMemory& memory, std::int64_t now);
// After the table of blocks ran full: half of the small blocks now represent all of them.
void thin_blocks(HeapState& state, format::AgentMemory& memory);

// Counts what the calling thread was given. Call without the lock.
void count_block(const void* address, std::uint64_t size, std::uint64_t weight);
void count_region(std::uint64_t begin, std::uint64_t size, std::uint64_t weight);
void count_arena(std::uint64_t begin, std::uint64_t size);
// Moves an arena to another line, from the time it was requested, `since`, on. Under the lock.
void move_arena(HeapState& state, format::AgentMemory& memory, std::uint64_t address,
                std::uint16_t to, std::int64_t since);
// Before the block is freed. True: it was counted, and `out` describes it.
bool uncount_block(const void* address, SampledBlock* out = nullptr);
// Counts it again if freeing or moving it failed.
void recount_block(const SampledBlock& block);
void uncount_regions(std::uint64_t begin, std::uint64_t end);
// Moves what is counted in the old range; the new one may be shorter or longer.
void move_region(std::uint64_t begin, std::uint64_t size, std::uint64_t new_begin,
                 std::uint64_t new_size);

}  // namespace holdfast::agent
