#include "agent/python/stack.h"

#include "agent/base/private_memory.h"
#include "agent/base/self_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/box/frame_table.h"
#include "agent/box/slot.h"
#include "agent/python/library.h"
#include "frames/describe.h"

namespace holdfast::agent {

namespace {

// Frame numbers given out so far. A place is looked up at every sample and described once; one that
// has dropped out of the cache is described again and gets its old number from the frame table.
struct NumberCache {
    static constexpr std::size_t sets = 2048;
    struct Entry {
        RawFrame frame;
        std::uint32_t number;
        std::uint32_t used;
    };

    SpinLock lock;
    Entry entries[sets][2];

    static std::size_t set_of(const RawFrame& frame) {
        const std::uint64_t key = (frame.code >> 4U) ^
                                  (static_cast<std::uint64_t>(frame.instruction) << 20U) ^
                                  frame.first_line;
        return (key * 0x9E3779B97F4A7C15U) >> 53U;
    }
    static bool same(const RawFrame& a, const RawFrame& b) {
        return a.code == b.code && a.instruction == b.instruction && a.first_line == b.first_line;
    }
    bool find(const RawFrame& frame, std::uint16_t& number) {
        Entry* set = entries[set_of(frame)];
        for (int way = 0; way < 2; ++way) {
            if (set[way].used == 0 || !same(set[way].frame, frame)) continue;
            number = static_cast<std::uint16_t>(set[way].number);
            return true;
        }
        return false;
    }
    void put(const RawFrame& frame, std::uint16_t number) {
        Entry* set = entries[set_of(frame)];
        set[1] = set[0];
        set[0] = {frame, number, 1};
    }
};
static_assert(NumberCache::sets == 1U << (64U - 53U));

// Empty and unlocked in the child of a fork, as it must be: the child has another slot.
NumberCache* cache() {
    static constinit std::atomic<NumberCache*> made{nullptr};
    NumberCache* found = made.load(std::memory_order_acquire);
    if (found != nullptr) return found;
    auto* fresh = static_cast<NumberCache*>(wiped_on_fork(sizeof(NumberCache)));
    if (fresh == nullptr) return nullptr;
    return made.compare_exchange_strong(found, fresh, std::memory_order_acq_rel) ? fresh : found;
}

bool describe_place(const RawFrame& frame, frames::Description& out) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python->version.lines) return false;
    const KeepErrno keep;
    SelfMemory source;
    frames::CachedMemory<SelfMemory, 512, 4> memory(source);
    return frames::describe(memory, python->layout, python->code_type,
                            {frame.code, frame.instruction, frame.first_line}, out);
}

}  // namespace

std::size_t own_frames(RawFrame* out, std::size_t most) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python->version.lines || most == 0) return 0;
    const std::uintptr_t thread = own_thread_state(*python);
    if (thread == 0 || !trusted(*python, thread)) return 0;
    frames::TrustedMemory memory;
    std::size_t count = 0;
    const std::uintptr_t frame = frames::current_frame(memory, python->layout, thread);
    frames::walk_frames(memory, python->layout, python->code_type, frame,
                        [&](const frames::Place& place) {
                            out[count] = {place.code, place.instruction, place.identity};
                            return ++count < most;
                        });
    return count;
}

std::uint16_t frame_number(const RawFrame& frame) {
    if (slot() == nullptr) return format::no_frame;
    NumberCache* numbers = cache();
    if (numbers == nullptr) return format::no_frame;
    std::uint16_t number = format::no_frame;
    numbers->lock.lock();
    const bool known = numbers->find(frame, number);
    numbers->lock.unlock();
    if (known) return number;

    frames::Description words;
    if (!describe_place(frame, words)) return format::no_frame;
    number = intern_frame({words.file, words.file_size}, {words.function, words.function_size},
                          words.line);
    // A full table stays full. That answer is cached, too, or every sample would describe the place
    // again.
    numbers->lock.lock();
    numbers->put(frame, number);
    numbers->lock.unlock();
    return number;
}

void describe(const RawFrame* frames, std::size_t count, format::AgentStack& into) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < count && at < format::agent_frames_per_stack; ++i) {
        const std::uint16_t number = frame_number(frames[i]);
        if (number != format::no_frame) into.frames[at++] = number;
    }
    while (at < format::agent_frames_per_stack) into.frames[at++] = format::no_frame;
}

}  // namespace holdfast::agent
