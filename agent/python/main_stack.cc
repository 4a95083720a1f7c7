// The main thread's stack for threads that have none of their own. The main thread mostly waits for
// those very threads. So what was read of its code objects a moment ago is still valid, and only
// the chain of frames is read again, with a third of the system calls.
#include "agent/base/clock.h"
#include "agent/base/private_memory.h"
#include "agent/base/self_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/python/library.h"
#include "agent/python/stack.h"
#include "agent/python/threads.h"
#include "frames/walk.h"

namespace holdfast::agent {

namespace {

// Long enough to save work, too short for a notebook's next cell to be taken for the last one.
constexpr std::int64_t good_for = 50'000'000;
constexpr std::size_t most_kept = 32;

struct Kept {
    SpinLock lock;
    std::int64_t until;
    std::size_t count;
    struct {
        std::uintptr_t frame, code;
        std::uint32_t identity;
    } frames[most_kept];
};

Kept* kept() {
    static constinit std::atomic<Kept*> made{nullptr};
    Kept* found = made.load(std::memory_order_acquire);
    if (found != nullptr) return found;
    auto* fresh = static_cast<Kept*>(wiped_on_fork(sizeof(Kept)));
    if (fresh == nullptr) return nullptr;
    return made.compare_exchange_strong(found, fresh, std::memory_order_acq_rel) ? fresh : found;
}

using Memory = frames::CachedMemory<SelfMemory, 512, 8>;

// `memo` may be null.
std::size_t read_frames(const PythonLibrary& python, Memory& memory, std::uintptr_t thread,
                        Kept* memo, RawFrame* out, std::size_t most) {
    std::size_t count = 0;
    const std::uintptr_t top = frames::current_frame(memory, python.layout, thread);
    frames::walk_chain(memory, python.layout, top, [&](std::uintptr_t frame, std::uintptr_t code) {
        frames::Place place{code, 0, 0};
        auto* known = memo != nullptr && count < most_kept ? &memo->frames[count] : nullptr;
        if (known != nullptr && count < memo->count && known->frame == frame &&
            known->code == code) {
            place.identity = known->identity;
            if (!frames::load_instruction(memory, python.layout, frame, code, place.instruction))
                return false;
        } else if (!frames::load_place(memory, python.layout, python.code_type, frame, code,
                                       place)) {
            return false;
        }
        if (known != nullptr) {
            known->frame = frame;
            known->code = code;
            known->identity = place.identity;
        }
        out[count] = {place.code, place.instruction, place.identity};
        return ++count < most;
    });
    return count;
}

}  // namespace

std::size_t other_threads(OtherThread* out, std::size_t most) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python->version.lines) return 0;
    const KeepErrno keep;
    SelfMemory source;
    Memory memory(source);
    std::size_t count = 0;
    frames::each_thread(memory, python->layout, python->runtime,
                        [&](const frames::ThreadState& one) {
                            const int tid = tid_of(memory, one);
                            if (tid != ::getpid() && count < most)
                                out[count++] = {one.address, one.pthread, tid};
                            return count < most;
                        });
    return count;
}

std::size_t frames_of(const OtherThread& thread, RawFrame* out, std::size_t most) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python->version.lines || most == 0) return 0;
    const KeepErrno keep;
    SelfMemory source;
    Memory memory(source);
    return read_frames(*python, memory, thread.state, nullptr, out, most);
}

std::size_t main_frames(RawFrame* out, std::size_t most) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python->version.lines || most == 0) return 0;
    const KeepErrno keep;
    SelfMemory source;
    Memory memory(source);
    const std::uintptr_t thread = main_thread_state(*python, memory);
    if (thread == 0) return 0;
    Kept* memo = kept();
    if (memo == nullptr || !memo->lock.try_lock())
        return read_frames(*python, memory, thread, nullptr, out, most);
    const std::int64_t time = now();
    if (time >= memo->until) {
        memo->count = 0;
        memo->until = time + good_for;
    }
    const std::size_t count = read_frames(*python, memory, thread, memo, out, most);
    memo->count = count < most_kept ? count : most_kept;
    memo->lock.unlock();
    return count;
}

}  // namespace holdfast::agent
