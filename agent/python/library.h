// The interpreter in this process: its functions and its layout, found once.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/python/stack.h"
#include "frames/layout.h"

namespace holdfast::agent {

struct PythonLibrary {
    RunningPython version;
    frames::Layout layout;  // good only with version.lines
    std::uintptr_t runtime = 0;
    std::uintptr_t code_type = 0;
    int (*is_initialized)() = nullptr;
    int (*is_finalizing)() = nullptr;      // null: not found
    void* (*attached_thread)() = nullptr;  // 3.12 on; null before
    void* (*thread_of_gil_state)() = nullptr;
    void* (*running_thread)() = nullptr;  // the one that has the GIL; from 3.12 on the caller's own
    std::uintptr_t loop_begin = 0, loop_end = 0;  // the function that runs bytecode
    mutable std::atomic<int> doubts{0};           // see trusted()
    // Whether trusted() has said yes for good.
    bool settled() const { return doubts.load(std::memory_order_relaxed) == no_doubt; }
    static constexpr int no_doubt = -1;
};

// Null: none found so far.
const PythonLibrary* python_library();

// Whether the layout fits the process. Asked with the caller's own thread state; settled soon.
bool trusted(const PythonLibrary& python, std::uintptr_t own_thread);

// The calling thread's state, or 0: no Python thread, or one that may be freed under us because
// another thread is ending the interpreter.
std::uintptr_t own_thread_state(const PythonLibrary& python);

// Whether the calling thread may touch Python objects this moment.
bool holds_interpreter_lock(const PythonLibrary& python);

}  // namespace holdfast::agent
