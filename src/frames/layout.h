// Where one build of CPython keeps what makes up a Python stack: byte offsets into its structs.
#pragma once

#include <cstdint>

namespace holdfast::frames {

// In fields marked "(0: none)" an offset of 0 means that there is no such field; in others it is an
// offset.
struct Layout {
    std::uint32_t minor = 0;  // of 3.minor
    bool free_threaded = false;

    std::uint32_t runtime_finalizing = 0;    // _PyRuntime: the thread state that ends it, or null
    std::uint32_t runtime_interpreters = 0;  // the first interpreter
    std::uint32_t runtime_gil = 0;           // the one GIL, up to 3.11 (0: none)

    std::uint32_t interpreter_next = 0;
    std::uint32_t interpreter_threads = 0;  // its first thread state
    std::uint32_t interpreter_gil = 0;      // a pointer to its GIL, from 3.12 (0: none)

    std::uint32_t gil_locked = 0;
    std::uint32_t gil_holder = 0;  // the thread that has it, or had it last

    std::uint32_t thread_next = 0;
    std::uint32_t thread_interpreter = 0;
    std::uint32_t thread_frame = 0;   // the current frame (0: none, it is in the cframe)
    std::uint32_t thread_cframe = 0;  // 3.11 and 3.12 (0: none)
    std::uint32_t cframe_frame = 0;
    std::uint32_t thread_pthread = 0;
    std::uint32_t thread_tid = 0;  // the kernel's number (0: none, before 3.11)

    std::uint32_t frame_previous = 0;
    std::uint32_t frame_code = 0;
    std::uint32_t frame_instruction = 0;     // a pointer into the bytecode; see load_instruction
    std::uint32_t frame_owner = 0;           // (0: none)
    std::uint32_t frame_bytecode_index = 0;  // free-threaded, from 3.14 on (0: none)

    std::uint32_t code_file = 0;
    std::uint32_t code_name = 0;
    std::uint32_t code_qualified_name = 0;  // (0: none)
    std::uint32_t code_lines = 0;
    std::uint32_t code_first_line = 0;
    std::uint32_t code_bytecode = 0;         // (0: none, before 3.11)
    std::uint32_t code_version = 0;          // counts code objects (0: none)
    std::uint32_t code_thread_bytecode = 0;  // free-threaded, from 3.14 on (0: none)

    std::uint32_t object_type = 0;
    std::uint32_t bytes_size = 0;
    std::uint32_t bytes_data = 0;
    std::uint32_t text_length = 0;
    std::uint32_t text_state = 0;
    std::uint32_t text_ascii = 0;       // characters of a compact ASCII string
    std::uint32_t text_wide = 0;        // of any other compact one; else a pointer to them
    std::uint32_t text_kind_shift = 2;  // bits of the state word before `kind`
};

// From 3.13 on the interpreter has a table of its own offsets at the start of _PyRuntime. These are
// the places of the ones we need in that table.
struct DebugOffsetPlaces {
    std::uint32_t free_threaded;
    std::uint32_t runtime_finalizing, runtime_interpreters;
    std::uint32_t interpreter_next, interpreter_threads, interpreter_gil;
    std::uint32_t gil_state, gil_locked, gil_holder;  // the last two counted from the interpreter
    std::uint32_t thread_next, thread_interpreter, thread_frame, thread_pthread, thread_tid;
    std::uint32_t frame_previous, frame_code, frame_instruction, frame_owner;
    std::uint32_t frame_bytecode_index = 0;  // (0: none)
    std::uint32_t code_file, code_name, code_qualified_name, code_lines, code_first_line;
    std::uint32_t code_bytecode;
    std::uint32_t code_thread_bytecode = 0;  // (0: none)
    std::uint32_t object_size, object_type;
    std::uint32_t bytes_size, bytes_data;
    std::uint32_t text_size, text_state, text_length, text_ascii;
    std::uint32_t end;
    std::uint32_t version_after_first_line;
};

}  // namespace holdfast::frames
