// A library that shows the agent's view of the Python stack to a Python test: tests/
// test_python_stacks.py builds it with the agent's own python_*.cc and calls it by ctypes. The slot
// and its frame table are stand-ins, so that the reading can be tested without a supervisor.
#include <sys/mman.h>
#include <time.h>

#include "agent/base/export.h"
#include "agent/base/private_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/box/frame_table.h"
#include "agent/box/slot.h"
#include "agent/python/stack.h"
#include "frames/line_table.h"
#include "frames/stack_text.h"

namespace holdfast::agent {

thread_local bool busy = false;

namespace {

struct Seen {
    char file[512], function[256];
    std::size_t file_size, function_size;
    std::uint32_t line;
};
constinit Seen seen[4096];
constinit std::uint16_t seen_count = 0;
constinit std::uint32_t described = 0;
constinit SpinLock seen_lock{};
constinit format::AgentSlot the_slot{};

bool same(const Seen& one, Text file, Text function, std::uint32_t line) {
    return one.line == line && Text(one.file, one.file_size) == file &&
           Text(one.function, one.function_size) == function;
}

std::size_t as_text(const RawFrame* raw, std::size_t count, char* out, std::size_t room) {
    const Busy here;
    frames::StackText text(out, room);
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint16_t number = frame_number(raw[i]);
        if (number == format::no_frame) {
            text.frame(0, "?", 1, "?", 1);
            continue;
        }
        const Seen& one = seen[number];
        text.frame(one.line, one.file, one.file_size, one.function, one.function_size);
    }
    return text.size();
}

}  // namespace

format::AgentSlot* slot() { return &the_slot; }
void* wiped_on_fork(std::size_t size) {
    void* made = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED) return nullptr;
    ::madvise(made, size, MADV_WIPEONFORK);
    return made;
}
void* kept_on_fork(std::size_t size) {
    void* made = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return made == MAP_FAILED ? nullptr : made;
}
std::uint16_t intern_frame(Text file, Text function, std::uint32_t line) {
    seen_lock.lock();
    ++described;
    std::uint16_t at = 0;
    while (at < seen_count && !same(seen[at], file, function, line)) ++at;
    if (at == seen_count && at < sizeof seen / sizeof seen[0]) {
        Seen& one = seen[seen_count++];
        std::memcpy(one.file, file.data, file.size);
        std::memcpy(one.function, function.data, function.size);
        one.file_size = file.size;
        one.function_size = function.size;
        one.line = line;
    }
    seen_lock.unlock();
    return at < seen_count ? at : format::no_frame;
}

namespace {
__attribute__((constructor)) void begin() { python_here(); }
}  // namespace

HOLDFAST_EXPORT std::size_t probe_own(char* out, std::size_t room) {
    RawFrame raw[512];
    return as_text(raw, own_frames(raw, 512), out, room);
}
HOLDFAST_EXPORT std::size_t probe_main(char* out, std::size_t room) {
    RawFrame raw[512];
    return as_text(raw, main_frames(raw, 512), out, room);
}
HOLDFAST_EXPORT std::size_t probe_all(char* out, std::size_t room, int first_tid) {
    return write_all_stacks(out, room, first_tid);
}
HOLDFAST_EXPORT int probe_described() { return static_cast<int>(described); }
// major, minor, micro, free-threaded, lines, running, here
HOLDFAST_EXPORT void probe_version(int* out) {
    out[6] = python_here(true) ? 1 : 0;
    const RunningPython version = python_version();
    out[0] = static_cast<int>(version.major);
    out[1] = static_cast<int>(version.minor);
    out[2] = static_cast<int>(version.micro);
    out[3] = version.free_threaded ? 1 : 0;
    out[4] = version.lines ? 1 : 0;
    out[5] = python_running() ? 1 : 0;
}
// The line of an instruction by a line table: `table` is the bytes, as a bytes object has them.
HOLDFAST_EXPORT int probe_line(int minor, const char* table, std::size_t size, int first_line,
                               int instruction) {
    struct {
        const char* data;
        std::uint64_t size;
        bool read(std::uintptr_t at, void* into, std::size_t count) const {
            if (at == 16) return std::memcpy(into, &size, count) != nullptr;
            if (at < 24 || at - 24 > size || count > size - (at - 24)) return false;
            return std::memcpy(into, data + (at - 24), count) != nullptr;
        }
    } memory{table, size};
    frames::Layout layout{};
    layout.bytes_size = 0;
    layout.bytes_data = 8;
    frames::BytesReader stream(memory, layout, 16);
    return static_cast<int>(
        frames::line_in_table(stream, static_cast<unsigned>(minor), first_line, instruction));
}
// Nanoseconds of CPU that `rounds` looks take: which 0 own_frames, 1 main_frames, 2 describe.
HOLDFAST_EXPORT long probe_cost(int which, long rounds, int depth) {
    RawFrame raw[64];
    format::AgentStack stack;
    std::size_t count = own_frames(raw, static_cast<std::size_t>(depth));
    timespec from{}, to{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (long i = 0; i < rounds; ++i) {
        if (which == 0) own_frames(raw, static_cast<std::size_t>(depth));
        if (which == 1) main_frames(raw, static_cast<std::size_t>(depth));
        if (which == 2) describe(raw, count, stack);
    }
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    return (to.tv_sec - from.tv_sec) * 1'000'000'000 + (to.tv_nsec - from.tv_nsec);
}

}  // namespace holdfast::agent
