// The Python stack of this process's threads, read from inside by offsets: no Python call, no GIL,
// no allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/base/text.h"
#include "record/agent_format.h"

namespace holdfast::agent {

// A raw frame: enough to distinguish two places, cheap enough for an allocation hook.
struct RawFrame {
    std::uintptr_t code;       // the code object
    std::int32_t instruction;  // byte offset within its bytecode
    std::uint32_t first_line;  // a hash of where it begins: with `code`, tells a reused address
};

struct RunningPython {
    std::uint32_t major = 0, minor = 0, micro = 0;
    bool free_threaded = false;
    bool lines = false;  // the layout is known, so stacks can be read
};

// Whether an interpreter is in this process (initialised or not), found once and cheap after that.
// `look_again` asks the loader anew: libpython may come later, by dlopen.
bool python_here(bool look_again = false);
// False before Py_Initialize and after Py_Finalize began.
bool python_running();
RunningPython python_version();

// The calling thread's frames, innermost first; 0 when it has none. Plain loads: only for a thread
// that is not itself in the middle of a crash.
std::size_t own_frames(RawFrame* out, std::size_t most);
// The main thread's frames as they are this moment, read with process_vm_readv because they may
// change under us. For threads without Python frames.
std::size_t main_frames(RawFrame* out, std::size_t most);

// A thread of Python's other than the main one.
struct OtherThread {
    std::uintptr_t state = 0;
    unsigned long pthread = 0;  // pthread_self()
    int tid = 0;                // 0: unknown
};
std::size_t other_threads(OtherThread* out, std::size_t most);
// As main_frames(), of that thread.
std::size_t frames_of(const OtherThread& thread, RawFrame* out, std::size_t most);

// The frame's number in the slot's table, described there on first sight (decodes the line table
// then, once per place). `no_frame` when the table is full. Call with Busy set.
std::uint16_t frame_number(const RawFrame& frame);
// All of them, into a stack of the box.
void describe(const RawFrame* frames, std::size_t count, format::AgentStack& into);

// For the crash handler: every thread's frames as text lines, as crash.box documents them
// (`format::Crash::python`), the thread `first_tid` first. Survives any damage to the process's
// memory: reads with process_vm_readv only. Returns bytes written.
std::size_t write_all_stacks(char* out, std::size_t room, int first_tid);

}  // namespace holdfast::agent
