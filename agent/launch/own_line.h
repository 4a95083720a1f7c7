// The innermost line of the program's own code on the calling thread, cheap enough for every kernel
// launch: whether a code object is the program's own is read once and remembered.
#pragma once

#include "agent/launch/origin.h"
#include "agent/python/library.h"
#include "agent/python/stack.h"
#include "frames/walk.h"

namespace holdfast::agent {

enum class OwnLine { found, none, no_python };

// The main thread's own state, set on that thread only; it lasts as long as Python. 0 elsewhere.
extern constinit thread_local std::uintptr_t main_state __attribute__((tls_model("initial-exec")));
void remember_main_thread(const PythonLibrary& python);

// The frame that the calling thread is in, or 0. The interpreter's lock need not be held: a
// thread's own frames stand still while it is in a C function. After Python's end it must not be
// asked for.
std::uintptr_t top_of_other(const PythonLibrary& python);
[[gnu::always_inline]] inline std::uintptr_t own_top(const PythonLibrary& python) {
    if (main_state == 0 || !python.settled()) return top_of_other(python);
    frames::TrustedMemory memory;
    return frames::current_frame(memory, python.layout, main_state);
}

// From the thread's frame on. No lock, no system call but at the first sight of a code object.
// `at`: the frame of that line; 0 where it is made-up code.
OwnLine own_line(const PythonLibrary& python, OriginCache& cache, std::uintptr_t top, RawFrame& out,
                 std::uintptr_t& at);

// The code objects of the frames inside the line's frame. If the same ones are seen again with the
// same line behind them, it is the same line, and nothing else need be read.
struct InnerFrames {
    static constexpr std::uint32_t most = 7, unknown = ~0U;
    std::uint32_t count;
    std::uintptr_t codes[most];

    void read(const PythonLibrary& python, std::uintptr_t top, std::uintptr_t line_frame);
    [[gnu::always_inline]] bool lead_to(const PythonLibrary& python, std::uintptr_t frame,
                                        const RawFrame& line) const {
        if (count == unknown) return false;
        std::uintptr_t code = 0;
        std::int32_t instruction = 0;
        frames::TrustedMemory memory;
        for (std::uint32_t i = 0; i < count; ++i) {
            frames::load(memory, frame + python.layout.frame_code, code);
            frames::load(memory, frame + python.layout.frame_previous, frame);
            if (code != codes[i] || frame == 0) return false;
        }
        frames::load(memory, frame + python.layout.frame_code, code);
        return (code & ~std::uintptr_t{3}) == line.code &&
               frames::load_instruction(memory, python.layout, frame, line.code, instruction) &&
               instruction == line.instruction;
    }
};

}  // namespace holdfast::agent
