#include "agent/guard/event_loop.h"

#include "agent/box/slot.h"
#include "agent/guard/refusal.h"
#include "agent/guard/source_line.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

constexpr Text loops_file = "asyncio/base_events.py", loops_function = "_run_once";

bool ends_with(Text text, Text tail) {
    return text.size >= tail.size && Text(text.data + text.size - tail.size, tail.size) == tail;
}

bool is_loop(Text file, Text function) {
    return ends_with(file, loops_file) && ends_with(function, loops_function);
}

// Python looks for signals where a loop begins anew, which counts for the last line of the loop, or
// for its first; between the two something has been taken from the queue.
bool is_safe(Text line) {
    while (!line.empty() && line.data[0] == ' ') line = {line.data + 1, line.size - 1};
    return line.starts_with("handle._run()") || line.starts_with("for i in range(ntodo)");
}

struct Answer {
    std::uintptr_t code;
    std::uint32_t line;
    bool safe;
};
constexpr std::size_t answers = 8;
constinit Answer known[answers];  // of the main thread alone
constinit std::size_t next_answer = 0;

}  // namespace

bool runs_event_loop(const CalledFunction* stack, std::size_t count) {
    bool found = false;
    for (std::size_t i = 0; i < count; ++i) {
        // A notebook's loop goes on when a cell has failed.
        if (stack[i].file.contains("/ipykernel/")) return false;
        found = found || is_loop(stack[i].file, stack[i].function);
    }
    return found;
}

bool is_between_tasks() {
    format::AgentSlot* slot = take_slot();
    RawFrame frame;
    if (slot == nullptr || own_frames(&frame, 1) != 1) return false;
    const std::uint16_t number = frame_number(frame);
    if (number >= format::agent_frame_capacity) return false;
    const format::AgentFrame& at = slot->frames[number];
    const Text file = frame_file(*slot, at);
    if (!is_loop(file, text_at(*slot, at.function))) return false;
    for (const Answer& one : known)
        if (one.code == frame.code && one.line == at.line) return one.safe;
    char line[200];
    const bool safe = is_safe(source_line(file, at.line, line));
    known[next_answer++ % answers] = {frame.code, at.line, safe};
    return safe;
}

}  // namespace holdfast::agent
