// Reads /proc/self/task: for a thread that sleeps in the kernel, it shows where the thread entered
// the kernel.
#include "agent/crash/threads.h"

#include "agent/crash/crash_lines.h"
#include "agent/crash/proc.h"

namespace holdfast::agent {
namespace {

// "/proc/self/task/TID/<name>"
struct TaskPath {
    char text[64];
    TaskPath(int tid, Text name) {
        std::uint32_t size = 0;
        char line[64];
        CrashLines lines(line, size);
        lines.add("/proc/self/task/").number(static_cast<unsigned>(tid)).add("/").add(name).end();
        std::memcpy(text, line, size);
        text[size == 0 ? 0 : size - 1] = 0;
    }
};

// The last word of "number arguments... stack-pointer program-counter"; "running" has none.
Text counter_of(Text line) {
    if (!line.empty() && line.data[line.size - 1] == '\n') --line.size;
    if (line.starts_with("running")) return {};
    std::size_t begin = line.size;
    while (begin > 0 && line.data[begin - 1] != ' ') --begin;
    return {line.data + begin, line.size - begin};
}

}  // namespace

void list_threads(format::Crash& crash) {
    CrashLines lines(crash.threads, crash.threads_size);
    each_number_in("/proc/self/task", [&](int tid) {
        char name[32];
        const std::size_t name_size = ProcFile(TaskPath(tid, "comm").text).read(name, sizeof name);
        char call[256];
        const std::size_t call_size =
            ProcFile(TaskPath(tid, "syscall").text).read(call, sizeof call);
        lines.number(static_cast<unsigned>(tid)).add(" ");
        if (tid == crash.tid)
            lines.number(crash.pc, 16);
        else if (const Text counter = counter_of({call, call_size}); counter.starts_with("0x"))
            lines.number(hex(counter), 16);
        else
            lines.add("-");
        lines.add(" ").add({name, name_size == 0 ? 0 : name_size - 1});
        return lines.end();
    });
}

}  // namespace holdfast::agent
