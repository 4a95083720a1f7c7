#include "agent/guard/recipient.h"

#include <unistd.h>

#include "agent/box/slot.h"
#include "agent/guard/refusal.h"
#include "agent/process/own_process.h"
#include "agent/python/own_path.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

struct CodePlace {
    Text file;      // the end of the path
    Text function;  // the name, or the end of a qualified name
};

// They call a task inside of a try and send on what it raises.
constexpr CodePlace carriers[] = {
    {"multiprocessing/pool.py", "worker"},
    {"concurrent/futures/process.py", "_process_worker"},
    {"loky/process_executor.py", "_process_worker"},
    {"data/_utils/worker.py", "_worker_loop"},
};
// The same in a thread: its error goes to the code that asks for the result.
constexpr CodePlace thread_carriers[] = {
    {"concurrent/futures/thread.py", "run"},
};
// An error anywhere below these breaks the pool, and everybody who waits for it gets an error.
constexpr CodePlace thread_catchers[] = {
    {"concurrent/futures/process.py", "wait_result_broken_or_wakeup"},
    {"loky/process_executor.py", "wait_result_broken_or_wakeup"},
};
// What carriers also do: take tasks and send results. An error there ends the worker.
constexpr Text machinery[] = {"multiprocessing/queues.py", "multiprocessing/connection.py",
                              "multiprocessing/reduction.py", "multiprocessing/synchronize.py",
                              "multiprocessing/context.py"};
// Code whose error ends a process without anybody noticing.
constexpr CodePlace ends[] = {
    {"multiprocessing/process.py", "_bootstrap"},
    {"multiprocessing/spawn.py", "spawn_main"},
    {"multiprocessing/forkserver.py", "main"},
    {"/threading.py", "_shutdown"},  // the interpreter prints it and goes on
};

bool ends_with(Text text, Text tail) {
    return text.size >= tail.size && Text(text.data + text.size - tail.size, tail.size) == tail;
}

bool is(const CalledFunction& called, const CodePlace& place) {
    if (!ends_with(called.file, place.file) || !ends_with(called.function, place.function))
        return false;
    const std::size_t before = called.function.size - place.function.size;
    return before == 0 || called.function.data[before - 1] == '.';
}

bool is_task(const CalledFunction& called) {
    for (const Text file : machinery)
        if (ends_with(called.file, file)) return false;
    // Pool's own objects for an error that could not be sent.
    return !ends_with(called.file, "multiprocessing/pool.py") ||
           ends_with(called.function, "mapstar");
}

constexpr std::size_t deepest = 128;

std::size_t described(const RawFrame* frames, std::size_t count, CalledFunction* stack,
                      std::size_t most) {
    const format::AgentSlot* slot = take_slot();
    if (slot == nullptr || count == 0 || count == deepest || count > most) return 0;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint16_t number = frame_number(frames[i]);
        if (number >= format::agent_frame_capacity) return 0;
        const format::AgentFrame& known = slot->frames[number];
        stack[i] = {frame_file(*slot, known), text_at(*slot, known.function)};
    }
    return count;
}

}  // namespace

bool error_is_carried(const CalledFunction* stack, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        for (const CodePlace& carrier : carriers)
            if (is(stack[i], carrier)) return i > 0 && is_task(stack[i - 1]);
        for (const CodePlace& carrier : thread_carriers)
            if (is(stack[i], carrier)) return i > 0 && is_task(stack[i - 1]);
        for (const CodePlace& catcher : thread_catchers)
            if (is(stack[i], catcher)) return i > 0;
    }
    return false;
}

bool is_thread_of_program(const CalledFunction* stack, std::size_t count) {
    std::size_t at = count;
    while (at > 0 && ends_with(stack[at - 1].file, "/threading.py")) --at;
    return at > 0 && at < count && is_own_path(stack[at - 1].file);
}

bool error_is_sent_on(const CalledFunction* stack, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        for (const CodePlace& carrier : carriers)
            if (is(stack[i], carrier)) return true;
    return false;
}

bool error_is_received(const CalledFunction* stack, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        for (const CodePlace& carrier : carriers)
            if (is(stack[i], carrier)) return i > 0 && is_task(stack[i - 1]);
        for (const CodePlace& end : ends)
            if (is(stack[i], end)) return false;
    }
    return true;
}

std::size_t own_stack(CalledFunction* stack, std::size_t most) {
    RawFrame frames[deepest];
    return described(frames, own_frames(frames, deepest), stack, most);
}

std::size_t main_stack(CalledFunction* stack, std::size_t most) {
    RawFrame frames[deepest];
    return described(frames, main_frames(frames, deepest), stack, most);
}

std::size_t stack_of(const OtherThread& thread, CalledFunction* stack, std::size_t most) {
    RawFrame frames[deepest];
    return described(frames, frames_of(thread, frames, deepest), stack, most);
}

bool own_error_is_received() {
    CalledFunction stack[deepest];
    const std::size_t count = own_stack(stack, deepest);
    if (count == 0) return false;
    return own_thread_id() == ::getpid() ? error_is_received(stack, count)
                                         : error_is_carried(stack, count);
}

}  // namespace holdfast::agent
