// Every thread's Python stack as text, for the crash handler: nothing here touches a pointer of the
// interpreter's except through the kernel.
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <initializer_list>

#include "agent/base/self_memory.h"
#include "agent/python/library.h"
#include "agent/python/stack.h"
#include "agent/python/threads.h"
#include "frames/describe.h"
#include "frames/stack_text.h"

namespace holdfast::agent {

namespace {

constexpr std::size_t most_frames = 100;  // of one thread: endless recursion leaves room for others

using Memory = frames::CachedMemory<SelfMemory, 512, 6>;

std::size_t thread_name(int tid, char (&out)[32]) {
    if (tid == ::getpid()) {
        std::memcpy(out, "MainThread", 10);
        return 10;
    }
    char path[64];
    frames::LineWriter writer(path, sizeof path);
    writer.add("/proc/self/task/", 16);
    writer.add_number(static_cast<std::uint32_t>(tid));
    writer.add("/comm", 6);  // with its terminator
    const int file = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
    if (file < 0) return 0;
    const long got = ::syscall(SYS_read, file, out, sizeof out);
    ::syscall(SYS_close, file);
    std::size_t size = got > 0 ? static_cast<std::size_t>(got) : 0;
    while (size > 0 && out[size - 1] == '\n') --size;
    return size;
}

void write_thread(const PythonLibrary& python, Memory& memory, const frames::ThreadState& thread,
                  int tid, frames::StackText& text) {
    char name[32];
    const std::size_t name_size = thread_name(tid, name);
    if (!text.thread(tid, name, name_size)) return;
    std::size_t count = 0;
    frames::Description words;
    const std::uintptr_t frame = frames::current_frame(memory, python.layout, thread.address);
    frames::walk_frames(
        memory, python.layout, python.code_type, frame, [&](const frames::Place& place) {
            if (!frames::describe(memory, python.layout, python.code_type, place, words))
                return false;
            return text.frame(words.line, words.file, words.file_size, words.function,
                              words.function_size) &&
                   ++count < most_frames;
        });
}

}  // namespace

std::size_t write_all_stacks(char* out, std::size_t room, int first_tid) {
    const PythonLibrary* python = python_library();
    if (python == nullptr || !python->version.lines) return 0;
    const KeepErrno keep;
    SelfMemory source;
    Memory memory(source);
    frames::StackText text(out, room);
    // Twice through the list, because there is no memory to keep it in.
    for (const bool first : {true, false})
        frames::each_thread(memory, python->layout, python->runtime,
                            [&](const frames::ThreadState& thread) {
                                const int tid = tid_of(memory, thread);
                                if ((tid == first_tid) == first)
                                    write_thread(*python, memory, thread, tid, text);
                                return true;
                            });
    return text.size();
}

}  // namespace holdfast::agent
