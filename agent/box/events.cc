#include "agent/box/events.h"

#include <atomic>
#include <cerrno>
#include <cmath>

#include "agent/base/clock.h"
#include "agent/base/spin_lock.h"
#include "agent/box/frame_table.h"
#include "agent/box/slot.h"
#include "agent/heap/heap.h"
#include "agent/heap/snapshot.h"
#include "agent/process/own_process.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

using format::AgentSlot;

// The next place in a ring of records. A record's time is written last, so a record that a death
// left half written has no time, or still shows the record before it.
template <class Record, std::size_t N>
Record& next(Record (&ring)[N], std::uint64_t& written) {
    return ring[std::atomic_ref(written).fetch_add(1, std::memory_order_relaxed) % N];
}

template <class Record>
void publish(Record& record) {
    std::atomic_ref(record.time).store(now(), std::memory_order_release);
}

template <class Record>
void withdraw(Record& record) {
    std::atomic_ref(record.time).store(0, std::memory_order_release);
}

// A validation replaces the one before it, and so does a look at the collector: a thousand epochs
// must not push out other notes.
format::AgentNote& place_for(AgentSlot& own, format::AgentNoteKind kind) {
    if (kind == format::AgentNoteKind::validation || kind == format::AgentNoteKind::collector_off)
        for (format::AgentNote& note : own.notes)
            if (note.kind == kind) return note;
    return next(own.notes, own.notes_written);
}

// Only the program's name and its first argument: the rest may be private.
std::uint64_t first_words(char* command, std::uint64_t size) {
    std::uint64_t words = 0;
    for (std::uint64_t i = 0; i < size; ++i)
        if (command[i] == ' ' && (++words == 2 || command[i + 1] == '-')) return i;
    return size;
}

}  // namespace

void note(format::AgentNoteKind kind, Text text, std::int64_t a, std::int64_t b) {
    AgentSlot* own = take_slot();
    if (own == nullptr) return;
    format::AgentNote& record = place_for(*own, kind);
    withdraw(record);
    record.kind = kind;
    record.a = a;
    record.b = b;
    copy_text(record.text, text);
    record.text_size = static_cast<std::uint32_t>(::strnlen(record.text, sizeof record.text));
    publish(record);
    if (kind == format::AgentNoteKind::cell)
        std::atomic_ref(own->cell_turned).store(now(), std::memory_order_release);
}

void note_visit_asked(std::int64_t time) {
    AgentSlot* own = take_slot();
    if (own == nullptr) return;
    const std::atomic_ref asked(own->visit_asked);
    // An unanswered request is repeated: the first one counts.
    if (time == 0 || asked.load(std::memory_order_relaxed) == 0)
        asked.store(time, std::memory_order_relaxed);
}

void note_keeper(std::uint32_t place, const KeeperText& what) {
    AgentSlot* own = take_slot();
    if (own == nullptr || place >= format::agent_keepers) return;
    format::AgentKeeper& record = own->keepers[place];
    withdraw(record);
    if (what.name.size == 0) return;
    record.items = what.items;
    record.bytes = what.bytes;
    record.grown = what.grown;
    record.graphs = what.graphs;
    copy_text(record.name, what.name);
    copy_text(record.kind, what.kind);
    copy_text(record.file, what.file);
    publish(record);
}

void note_signal(int number, int code, int sender_pid, int sender_uid) {
    const int error = errno;
    if (AgentSlot* own = take_slot()) {
        format::AgentSignal& record = next(own->signals, own->signals_written);
        withdraw(record);
        record.number = number;
        record.code = code;
        record.sender_pid = sender_pid;
        record.sender_uid = sender_uid;
        char command[256] = {};
        const std::uint64_t size =
            sender_pid > 0 ? command_of(sender_pid, command, sizeof command - 1) : 0;
        copy_text(record.sender, {command, static_cast<std::size_t>(first_words(command, size))});
        publish(record);
    }
    errno = error;
}

void note_exit(format::AgentExitKind kind, int status) {
    AgentSlot* own = slot();
    if (own == nullptr) return;
    const Busy inside;
    // A signal handler that ends the program has interrupted us, perhaps with a lock held.
    if (inside.nested()) return;
    RawFrame frames[format::agent_frames_per_stack];
    const std::size_t count = own_frames(frames, format::agent_frames_per_stack);
    // exit() below a sys.exit() has the same status and knows less.
    if (count == 0 && own->exit.kind != format::AgentExitKind::none) return;
    withdraw(own->exit);
    own->exit.kind = kind;
    own->exit.status = status;
    describe(frames, count, own->exit.stack);
    publish(own->exit);
}

void note_step(bool has_loss, double loss, std::uint64_t gpu_allocated, std::uint64_t gpu_reserved,
               Text source) {
    AgentSlot* own = take_slot();
    if (own == nullptr) return;
    format::AgentSteps& steps = own->steps;
    const std::int64_t time = now();
    const std::uint64_t number = std::atomic_ref(steps.count).fetch_add(1) + 1;
    if (steps.last == 0) {
        steps.first = time;
        copy_text(steps.source, source);
    } else if (own->cell_turned < steps.last) {  // else it was the user's own pause
        const auto length = static_cast<std::uint64_t>(time - steps.last);
        steps.usual_ns = steps.usual_ns == 0 ? length : (steps.usual_ns * 7 + length) / 8;
        if (length > steps.longest_ns) steps.longest_ns = length;
    }
    steps.last = time;
    if (has_loss && !std::isfinite(loss) && steps.first_nonfinite_step == 0) {
        steps.nonfinite_value = loss;
        std::atomic_ref(steps.first_nonfinite_step).store(number, std::memory_order_release);
    }
    format::AgentStep& record = steps.ring[(number - 1) % format::agent_step_ring];
    withdraw(record);
    record.number = number;
    record.gpu_allocated = gpu_allocated;
    record.gpu_reserved = gpu_reserved;
    record.loss = loss;
    record.has_loss = has_loss ? 1 : 0;
    std::atomic_ref(record.time).store(time, std::memory_order_release);
    std::atomic_ref(steps.ring_written).store(number, std::memory_order_release);
    heap_step(number, gpu_allocated);
}

std::uint64_t worthless_since() {
    constexpr std::uint64_t long_enough = 100;
    const AgentSlot* own = slot();
    if (own == nullptr) return 0;
    const format::AgentSteps& steps = own->steps;
    const std::uint64_t first = steps.first_nonfinite_step;
    if (first == 0 || steps.count % long_enough != 0 || steps.count - first < long_enough) return 0;
    bool known = false;
    for (const format::AgentStep& step : steps.ring) {
        if (step.has_loss == 1 && std::isfinite(step.loss)) return 0;
        known = known || step.has_loss == 1;
    }
    return known ? first : 0;
}

void note_epoch(std::uint64_t epoch) {
    if (AgentSlot* own = slot()) own->steps.epoch = epoch;
}

void note_exception(const ExceptionText& what) {
    AgentSlot* own = take_slot();
    if (own == nullptr) return;
    keep_snapshot(format::AgentSnapshotKind::exception);
    const Busy inside;
    format::AgentException& record = next(own->exceptions, own->exceptions_written);
    withdraw(record);
    record.tid = own_thread_id();
    record.in_main_thread = what.in_main_thread ? 1 : 0;
    copy_text(record.thread, what.thread);
    copy_text(record.type, what.type);
    copy_text(record.message, what.message);
    copy_text(record.causes, what.causes);
    constexpr std::uint32_t room = sizeof record.frames / sizeof record.frames[0];
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < what.frame_count && count < room; ++i) {
        const ExceptionFrame& frame = what.frames[i];
        const std::uint16_t number = intern_frame(frame.file, frame.function, frame.line);
        if (number != format::no_frame) record.frames[count++] = number;
    }
    record.frame_count = count;
    for (; count < room; ++count) record.frames[count] = format::no_frame;
    publish(record);
}

}  // namespace holdfast::agent
