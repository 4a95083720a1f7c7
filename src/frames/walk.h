// The walk from _PyRuntime to the frames of each thread. Every loop is bounded and any pointer may
// be wrong: the process that is read may be running, damaged, or hostile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frames/layout.h"
#include "frames/memory.h"

namespace holdfast::frames {

inline constexpr std::size_t most_interpreters = 256;
inline constexpr std::size_t most_threads = 4096;  // over all interpreters
inline constexpr std::size_t most_hidden_frames = 4096;

// A place in Python code. Cheap to take: nothing is decoded yet.
struct Place {
    std::uintptr_t code;
    std::int32_t instruction;  // byte offset in the bytecode; below 0: not begun
    std::uint32_t identity;    // with `code`, tells a reused address
};

// A hash of a string's last characters, only to tell two file names apart.
template <class Memory>
[[gnu::always_inline]] inline bool load_ending(Memory& memory, const Layout& layout,
                                               std::uintptr_t object, std::uint64_t& ending) {
    std::uint64_t length = 0, last = 0, before = 0;
    std::uint32_t state = 0;
    if (!load(memory, object + layout.text_length, length) ||
        !load(memory, object + layout.text_state, state))
        return false;
    state >>= layout.text_kind_shift;
    const std::uint64_t size = length * (state & 7U);
    const bool compact = (state & 8U) != 0, ascii = (state & 16U) != 0;
    ending = length;
    if (!compact || size < 16) {
        // A short string: take the eight bytes behind the header, whatever they are.
        return load(memory, object + layout.text_ascii, last) && ((ending ^= last), true);
    }
    const std::uintptr_t end = object + (ascii ? layout.text_ascii : layout.text_wide) + size;
    if (!load(memory, end - 8, last) || !load(memory, end - 16, before)) return false;
    ending ^= last ^ (before * 0xD6E8FEB86659FD93U);
    return true;
}

// Tells apart code objects at the same address. They come and go (each notebook cell is one), and
// allocators reuse addresses; the first line does not help, because it is 1 for every cell. From
// 3.12 on code objects have a version number; before that, use the file name, too.
template <class Memory>
[[gnu::always_inline]] inline bool load_identity(Memory& memory, const Layout& layout,
                                                 std::uintptr_t code, std::uint32_t& identity) {
    std::uint32_t first_line = 0, version = 0;
    std::uint64_t file = 0, lines = 0, ending = 0;
    if (!load(memory, code + layout.code_first_line, first_line) ||
        !load(memory, code + layout.code_file, file) ||
        !load(memory, code + layout.code_lines, lines))
        return false;
    if (layout.code_version != 0) {
        if (!load(memory, code + layout.code_version, version)) return false;
    } else if (file == 0 || !load_ending(memory, layout, file, ending)) {
        return false;
    }
    const std::uint64_t mixed =
        (file ^ (lines << 17U) ^ (lines >> 47U) ^ ending) * 0x9E3779B97F4A7C15U;
    identity = static_cast<std::uint32_t>(mixed >> 32U) ^ (first_line * 0x85EBCA6BU) ^
               (version * 0xC2B2AE35U);
    return true;
}

template <class Memory>
[[gnu::always_inline]] inline bool is_code(Memory& memory, const Layout& layout,
                                           std::uintptr_t code, std::uintptr_t code_type) {
    std::uintptr_t type = 0;
    return load(memory, code + layout.object_type, type) && (code_type == 0 || type == code_type);
}

// The address of the bytecode that the frame runs.
template <class Memory>
[[gnu::always_inline]] inline bool load_bytecode_start(Memory& memory, const Layout& layout,
                                                       std::uintptr_t frame, std::uintptr_t code,
                                                       std::uintptr_t& start) {
    start = code + layout.code_bytecode;
    if (layout.frame_bytecode_index == 0) return true;
    std::int32_t index = 0;
    std::uintptr_t copies = 0;
    std::int64_t count = 0;
    if (!load(memory, frame + layout.frame_bytecode_index, index) ||
        !load(memory, code + layout.code_thread_bytecode, copies))
        return false;
    if (index == 0 || copies == 0) return true;
    if (!load(memory, copies, count) || index < 0 || index >= count) return false;
    const auto slot = copies + 8 + 8 * static_cast<std::uintptr_t>(index);
    return load(memory, slot, start) && start != 0;
}

// How far the frame has come in its bytecode.
template <class Memory>
[[gnu::always_inline]] inline bool load_instruction(Memory& memory, const Layout& layout,
                                                    std::uintptr_t frame, std::uintptr_t code,
                                                    std::int32_t& instruction) {
    if (layout.code_bytecode == 0) {
        std::int32_t index = 0;
        if (!load(memory, frame + layout.frame_instruction, index)) return false;
        // Before 3.10 this counts bytes; in 3.10 it counts instructions of two bytes.
        const std::int32_t unit = layout.minor < 10 ? 1 : 2;
        instruction = index >= 0 && index < (1 << 28) ? unit * index : -1;
        return true;
    }
    std::uintptr_t at = 0, start = 0;
    if (!load(memory, frame + layout.frame_instruction, at) ||
        !load_bytecode_start(memory, layout, frame, code, start))
        return false;
    const auto offset = static_cast<std::int64_t>(at - start);
    instruction = offset >= 0 && offset < (1 << 30) ? static_cast<std::int32_t>(offset) : -1;
    return true;
}

template <class Memory>
[[gnu::always_inline]] inline bool load_place(Memory& memory, const Layout& layout,
                                              std::uintptr_t code_type, std::uintptr_t frame,
                                              std::uintptr_t code, Place& place) {
    place.code = code;
    return is_code(memory, layout, code, code_type) &&
           load_identity(memory, layout, code, place.identity) &&
           load_instruction(memory, layout, frame, code, place.instruction);
}

// Calls sink(frame, code) for the frames that run Python code, starting at `frame`, innermost
// first, until sink returns false. Does not look at the code object.
template <class Memory, class Sink>
[[gnu::always_inline]] inline void walk_chain(Memory& memory, const Layout& layout,
                                              std::uintptr_t frame, Sink&& sink) {
    std::size_t hidden = 0;
    while (frame != 0) {
        std::uintptr_t code = 0, previous = 0;
        std::uint8_t owner = 0;
        if (!load(memory, frame + layout.frame_code, code) ||
            !load(memory, frame + layout.frame_previous, previous))
            return;
        if (layout.frame_owner != 0 && !load(memory, frame + layout.frame_owner, owner)) return;
        // 3 and 4: the interpreter's own frames, that stand for a C call and run no Python code.
        if (owner >= 3) {
            if (++hidden > most_hidden_frames) return;
        } else {
            code &= ~std::uintptr_t{3};  // the low bits tell how the reference is counted (3.14)
            if (code == 0 || !sink(frame, code)) return;
        }
        frame = previous;
    }
}

// Calls sink(Place) for the frames, starting at `frame`, innermost first, until sink returns false.
// `code_type`: the address of PyCode_Type, or 0 if unknown. If it is known, the walk ends at memory
// that is not (or no longer) a code object.
template <class Memory, class Sink>
[[gnu::always_inline]] inline void walk_frames(Memory& memory, const Layout& layout,
                                               std::uintptr_t code_type, std::uintptr_t frame,
                                               Sink&& sink) {
    walk_chain(memory, layout, frame, [&](std::uintptr_t at, std::uintptr_t code) {
        Place place;
        return load_place(memory, layout, code_type, at, code, place) && sink(place);
    });
}

// The current frame of a thread, or 0.
template <class Memory>
[[gnu::always_inline]] inline std::uintptr_t current_frame(Memory& memory, const Layout& layout,
                                                           std::uintptr_t thread) {
    std::uintptr_t frame = 0;
    if (layout.thread_cframe == 0)
        return load(memory, thread + layout.thread_frame, frame) ? frame : 0;
    std::uintptr_t cframe = 0;
    if (!load(memory, thread + layout.thread_cframe, cframe) || cframe == 0) return 0;
    return load(memory, cframe + layout.cframe_frame, frame) ? frame : 0;
}

struct ThreadState {
    std::uintptr_t address = 0;
    std::uintptr_t interpreter = 0;
    std::uint64_t pthread = 0;
    std::uint64_t tid = 0;  // 0: this interpreter does not know
};

template <class Memory>
bool load_thread(Memory& memory, const Layout& layout, std::uintptr_t address, ThreadState& out) {
    out.address = address;
    out.tid = 0;
    return load(memory, address + layout.thread_interpreter, out.interpreter) &&
           load(memory, address + layout.thread_pthread, out.pthread) &&
           (layout.thread_tid == 0 || load(memory, address + layout.thread_tid, out.tid));
}

// Calls visit(ThreadState) for each thread until visit returns false, newest interpreter and newest
// thread first. The walk ends at an inconsistent list.
template <class Memory, class Visit>
void each_thread(Memory& memory, const Layout& layout, std::uintptr_t runtime, Visit&& visit) {
    std::uintptr_t interpreter = 0;
    if (!load(memory, runtime + layout.runtime_interpreters, interpreter)) return;
    std::size_t threads = 0;
    for (std::size_t i = 0; i < most_interpreters && interpreter != 0; ++i) {
        std::uintptr_t address = 0;
        if (!load(memory, interpreter + layout.interpreter_threads, address)) return;
        while (address != 0) {
            ThreadState thread;
            if (++threads > most_threads || !load_thread(memory, layout, address, thread)) return;
            if (thread.interpreter != interpreter) break;
            if (!visit(thread)) return;
            if (!load(memory, address + layout.thread_next, address)) return;
        }
        if (!load(memory, interpreter + layout.interpreter_next, interpreter)) return;
    }
}

template <class Memory>
bool holds_gil(Memory& memory, const Layout& layout, std::uintptr_t runtime,
               const ThreadState& thread) {
    std::uintptr_t gil = runtime + layout.runtime_gil, holder = 0;
    std::int32_t locked = 0;
    if (layout.runtime_gil == 0 &&
        (!load(memory, thread.interpreter + layout.interpreter_gil, gil) || gil == 0))
        return false;
    return load(memory, gil + layout.gil_locked, locked) && locked == 1 &&
           load(memory, gil + layout.gil_holder, holder) && holder == thread.address;
}

// Whether the memory at `runtime` fits this layout: the first thread of the first interpreter must
// point back to its interpreter.
template <class Memory>
bool layout_holds(Memory& memory, const Layout& layout, std::uintptr_t runtime) {
    bool seen = false;
    each_thread(memory, layout, runtime, [&](const ThreadState&) {
        seen = true;
        return false;
    });
    return seen;
}

}  // namespace holdfast::frames
