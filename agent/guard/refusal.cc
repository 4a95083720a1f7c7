#include "agent/guard/refusal.h"

#include <unistd.h>

#include <atomic>
#include <initializer_list>

#include "agent/base/clock.h"
#include "agent/base/text.h"
#include "agent/box/slot.h"
#include "agent/guard/guard_page.h"
#include "agent/heap/snapshot.h"
#include "agent/process/own_process.h"
#include "agent/python/own_path.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

using format::AgentRefusal;
using format::AgentSlot;

// "train.py:42": the innermost line of the user's own code.
void own_place_text(const AgentSlot& slot, const format::AgentStack& stack, char (&out)[128]) {
    for (const std::uint16_t number : stack.frames) {
        if (number == format::no_frame || number >= format::agent_frame_capacity) return;
        const format::AgentFrame& frame = slot.frames[number];
        const Text file = frame_file(slot, frame);
        if (file.empty() || !is_own_path(file)) continue;
        char text[128];
        const std::size_t most = sizeof text - 16;
        std::size_t at = 0;
        const std::size_t skip = file.size > most ? file.size - most : 0;
        for (std::size_t i = skip; i < file.size; ++i) text[at++] = file.data[i];
        text[at++] = ':';
        char digits[10];
        std::size_t count = 0;
        for (std::uint32_t line = frame.line; line != 0 || count == 0; line /= 10)
            digits[count++] = static_cast<char>('0' + line % 10);
        while (count > 0) text[at++] = digits[--count];
        copy_text(out, {text, at});
        return;
    }
}

void put(AgentRefusal& record, const Refused& what, const format::AgentStack& stack) {
    std::atomic_ref(record.time).store(0, std::memory_order_release);
    record.asked = what.asked;
    record.room = what.room;
    record.limit = what.limit;
    record.kind = static_cast<std::uint32_t>(what.kind);
    record.tid = own_thread_id();
    record.stack = stack;
    std::atomic_ref(record.time).store(now(), std::memory_order_release);
}

void tell_supervisor(const Refused& what, const AgentSlot* slot, const format::AgentStack& stack) {
    format::GuardPage& page = *guard_page();
    std::atomic_ref(what.really ? page.refused : page.warned).fetch_add(1);
    if (what.really) std::atomic_ref(page.last_refused).store(now(), std::memory_order_release);
    std::uint64_t nobody = 0;
    if (!std::atomic_ref(page.first_taken).compare_exchange_strong(nobody, 1)) return;
    format::GuardEvent& event = page.first;
    event.kind = what.kind;
    event.pid = ::getpid();
    event.asked = what.asked;
    event.room = what.room;
    event.limit = what.limit;
    if (slot != nullptr) own_place_text(*slot, stack, event.place);
    std::atomic_ref(event.time).store(now(), std::memory_order_release);
}

}  // namespace

Text text_at(const AgentSlot& slot, format::TextRef ref) {
    if (ref.offset > sizeof slot.text || ref.size > sizeof slot.text - ref.offset) return {};
    return {slot.text + ref.offset, ref.size};
}

Text frame_file(const AgentSlot& slot, const format::AgentFrame& frame) {
    return text_at(slot, frame.file);
}

void note_refusal(const Refused& what) {
    format::AgentStack stack;
    for (std::uint16_t& frame : stack.frames) frame = format::no_frame;
    AgentSlot* slot = take_slot();
    if (slot != nullptr) {
        RawFrame frames[format::agent_frames_per_stack];
        const std::size_t count = own_frames(frames, format::agent_frames_per_stack);
        describe(frames, count, stack);
        format::AgentGuard& guard = slot->guard;
        std::atomic_ref(what.really ? guard.refused : guard.warned).fetch_add(1);
        if (guard.first.time == 0) put(guard.first, what, stack);
        put(guard.last, what, stack);
        keep_snapshot(format::AgentSnapshotKind::refusal);
    }
    tell_supervisor(what, slot, stack);
}

}  // namespace holdfast::agent
