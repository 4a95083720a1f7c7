#include "agent/guard/lazy_line.h"

#include "agent/base/text.h"
#include "agent/box/slot.h"
#include "agent/guard/refusal.h"
#include "agent/guard/source_line.h"
#include "agent/python/own_path.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

bool says_empty(const format::AgentSlot& slot, const RawFrame& frame) {
    const std::uint16_t number = frame_number(frame);
    if (number >= format::agent_frame_capacity) return false;
    const format::AgentFrame& known = slot.frames[number];
    const Text file = frame_file(slot, known);
    if (file.empty() || !is_own_path(file)) return false;
    char line[512];
    const Text text = source_line(file, known.line, line);
    return text.contains("empty(") || text.contains("empty_like(");
}

struct Filler {
    Text file, function;
};
constexpr Filler fillers[] = {
    {"scipy/sparse/_base.py", "_process_toarray_args"},
    {"scipy/sparse/base.py", "_process_toarray_args"},
    {"scipy/ndimage/_ni_support.py", "_get_output"},
    {"scipy/spatial/distance.py", "squareform"},
    {"pandas/core/reshape/encoding.py", "_get_dummies_1d"},
    {"pandas/core/reshape/reshape.py", "_get_dummies_1d"},
    {"h5py/_hl/dataset.py", "__getitem__"},
};

bool ends_with(Text text, Text tail) {
    return text.size >= tail.size && Text(text.data + text.size - tail.size, tail.size) == tail;
}

// A loop asks from the same place again and again.
struct Answer {
    RawFrame frame;
    bool lazy, known;
};
constinit thread_local Answer last __attribute__((tls_model("initial-exec"))){};

bool same(const RawFrame& a, const RawFrame& b) {
    return a.code == b.code && a.instruction == b.instruction && a.first_line == b.first_line;
}

}  // namespace

bool asked_for_empty() {
    format::AgentSlot* slot = take_slot();
    RawFrame frame;
    if (slot == nullptr || own_frames(&frame, 1) != 1) return false;
    if (last.known && same(last.frame, frame)) return last.lazy;
    last = {frame, says_empty(*slot, frame), true};
    return last.lazy;
}

bool asked_to_fill() {
    format::AgentSlot* slot = take_slot();
    RawFrame frame;
    if (slot == nullptr || own_frames(&frame, 1) != 1) return false;
    const std::uint16_t number = frame_number(frame);
    if (number >= format::agent_frame_capacity) return false;
    const format::AgentFrame& known = slot->frames[number];
    for (const Filler& one : fillers)
        if (ends_with(frame_file(*slot, known), one.file) &&
            ends_with(text_at(*slot, known.function), one.function))
            return true;
    return false;
}

}  // namespace holdfast::agent
