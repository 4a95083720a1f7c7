// The layout of the interpreter that was found: up to 3.12 from our tables, later from the
// interpreter's own table.
#pragma once

#include <cstring>

#include "frames/memory.h"
#include "frames/static_layouts.h"

namespace holdfast::frames {

// Reads one offset from the interpreter's own table. A large figure means that we misunderstand the
// table.
template <class Memory>
bool load_offset(Memory& memory, std::uintptr_t runtime, std::uint32_t place, std::uint32_t& into) {
    std::uint64_t value = 0;
    if (!load(memory, runtime + place, value) || value >= (1U << 24U)) return false;
    into = static_cast<std::uint32_t>(value);
    return true;
}

template <class Memory>
bool load_layout(Memory& memory, std::uintptr_t runtime, std::uint32_t minor,
                 const DebugOffsetPlaces& at, Layout& into) {
    Layout out{};
    out.minor = minor;
    std::uint32_t free_threaded = 0, gil_state = 0, object_size = 0, text_size = 0;
    const struct {
        std::uint32_t place;
        std::uint32_t* to;
    } wanted[] = {
        {at.free_threaded, &free_threaded},
        {at.runtime_finalizing, &out.runtime_finalizing},
        {at.runtime_interpreters, &out.runtime_interpreters},
        {at.interpreter_next, &out.interpreter_next},
        {at.interpreter_threads, &out.interpreter_threads},
        {at.interpreter_gil, &out.interpreter_gil},
        {at.gil_state, &gil_state},
        {at.gil_locked, &out.gil_locked},
        {at.gil_holder, &out.gil_holder},
        {at.thread_next, &out.thread_next},
        {at.thread_interpreter, &out.thread_interpreter},
        {at.thread_frame, &out.thread_frame},
        {at.thread_pthread, &out.thread_pthread},
        {at.thread_tid, &out.thread_tid},
        {at.frame_previous, &out.frame_previous},
        {at.frame_code, &out.frame_code},
        {at.frame_instruction, &out.frame_instruction},
        {at.frame_owner, &out.frame_owner},
        {at.code_file, &out.code_file},
        {at.code_name, &out.code_name},
        {at.code_qualified_name, &out.code_qualified_name},
        {at.code_lines, &out.code_lines},
        {at.code_first_line, &out.code_first_line},
        {at.code_bytecode, &out.code_bytecode},
        {at.object_size, &object_size},
        {at.object_type, &out.object_type},
        {at.bytes_size, &out.bytes_size},
        {at.bytes_data, &out.bytes_data},
        {at.text_size, &text_size},
        {at.text_state, &out.text_state},
        {at.text_length, &out.text_length},
        {at.text_ascii, &out.text_ascii},
    };
    for (const auto& one : wanted)
        if (!load_offset(memory, runtime, one.place, *one.to)) return false;
    out.free_threaded = free_threaded != 0;
    if (out.free_threaded && at.frame_bytecode_index != 0 &&
        (!load_offset(memory, runtime, at.frame_bytecode_index, out.frame_bytecode_index) ||
         !load_offset(memory, runtime, at.code_thread_bytecode, out.code_thread_bytecode) ||
         out.frame_bytecode_index == 0 || out.code_thread_bytecode == 0))
        return false;
    // A rearranged table would still hold small figures, so check the few that are known
    // beforehand.
    const std::uint32_t head = out.free_threaded ? 32 : 16;
    if (object_size != head || out.object_type != head - 8 || out.bytes_size != head ||
        out.bytes_data != head + 16 || out.text_length != head ||
        text_size != out.text_ascii + 24 || out.gil_locked < gil_state ||
        out.gil_holder < gil_state)
        return false;
    out.gil_locked -= gil_state;
    out.gil_holder -= gil_state;
    out.text_wide = out.text_ascii + 16;
    out.code_version = out.code_first_line + at.version_after_first_line;
    // In free-threaded 3.14, `interned` is a separate byte, so that it can be stored atomically.
    if (out.free_threaded && minor >= 14) out.text_kind_shift = 8;
    into = out;
    return true;
}

// `version` is like PY_VERSION_HEX. False if the layout of this build is unknown.
template <class Memory>
bool find_layout(Memory& memory, std::uintptr_t runtime, std::uint32_t version, Layout& into) {
    switch (version >> 16U) {
    case 0x0308: into = layout_3_8; return true;
    case 0x0309: into = layout_3_9; return true;
    case 0x030A: into = layout_3_10; return true;
    case 0x030B: into = layout_3_11; return true;
    case 0x030C: into = layout_3_12; return true;
    case 0x030D: return load_layout(memory, runtime, 13, places_3_13, into);
    case 0x030E: return load_layout(memory, runtime, 14, places_3_14, into);
    case 0x030F: return load_layout(memory, runtime, 15, places_3_15, into);
    default: return false;
    }
}

// The version that interpreters from 3.13 on have at the start of _PyRuntime; else 0.
template <class Memory>
std::uint32_t stated_version(Memory& memory, std::uintptr_t runtime) {
    struct {
        char cookie[8];
        std::uint64_t version;
    } head{};
    if (!load(memory, runtime, head) || std::memcmp(head.cookie, "xdebugpy", 8) != 0) return 0;
    return head.version <= 0xFFFFFFFFU ? static_cast<std::uint32_t>(head.version) : 0;
}

}  // namespace holdfast::frames
