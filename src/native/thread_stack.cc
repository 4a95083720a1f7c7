#include "native/thread_stack.h"

#include <fcntl.h>

#include <algorithm>

#include "base/read_file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "model/library_name.h"
#include "native/isolated.h"
#include "native/native_text.h"
#include "record/crash_box.h"
#include "sources/process_memory.h"

namespace holdfast {
namespace {

constexpr std::size_t most_frames = 8;
constexpr std::size_t copied = 48U << 10U;
constexpr std::size_t page = 4096;
#if defined(__x86_64__)
constexpr auto machine = format::CrashMachine::x86_64;
constexpr std::size_t register_count = 23, sp_at = 15, pc_at = 16;
#elif defined(__aarch64__)
constexpr auto machine = format::CrashMachine::aarch64;
constexpr std::size_t register_count = 34, sp_at = 31, pc_at = 32;
#else
constexpr auto machine = format::CrashMachine::none;
constexpr std::size_t register_count = 2, sp_at = 0, pc_at = 1;
#endif

// Stack pointer and pc: the last two words of /proc/PID/task/TID/syscall.
bool read_place(int thread_dir, std::uint64_t& sp, std::uint64_t& pc) {
    const auto text = read_file_at(thread_dir, "syscall", 4096);
    if (!text) return false;
    const std::vector<std::string_view> words = split(trim(*text), ' ');
    if (words.size() < 3) return false;
    const auto hex = [](std::string_view word) {
        if (word.starts_with("0x")) word.remove_prefix(2);
        return parse_number<std::uint64_t>(word, 16);
    };
    const auto stack = hex(words[words.size() - 2]);
    const auto place = hex(words.back());
    if (!stack || !place || *stack == 0) return false;
    sp = *stack;
    pc = *place;
    return true;
}

// "7f1-7f2 r-xp 00001000 fd:00 123   /usr/lib/libc.so.6", executable ones only.
std::vector<CrashModule> modules_of(int process_dir) {
    std::string lines;
    const auto maps = read_file_at(process_dir, "maps", 16U << 20U);
    if (!maps) return {};
    for (std::string_view rest = *maps; const auto line = next_line(rest);) {
        std::string_view words = *line;
        const auto range = next_word(words), rights = next_word(words), offset = next_word(words),
                   device = next_word(words), inode = next_word(words);
        if (!device || !inode || rights->find('x') == std::string_view::npos) continue;
        lines.append(*range).append(" ").append(*offset).append(" ").append(*inode);
        lines.append(" ").append(trim(words)).append("\n");
    }
    return parse_crash_modules(lines);
}

std::vector<std::byte> stack_from(int pid, int process_dir, std::uint64_t sp) {
    std::vector<std::byte> bytes(copied);
    sources::ProcessMemory memory(pid, process_dir);
    std::size_t have = 0;
    // Reads page by page: the stack may end before the buffer does.
    while (have < bytes.size()) {
        const std::size_t chunk =
            std::min(page - static_cast<std::size_t>((sp + have) % page), bytes.size() - have);
        if (!memory.read(sp + have, bytes.data() + have, chunk)) break;
        have += chunk;
    }
    bytes.resize(have);
    return bytes;
}

}  // namespace

std::vector<std::string> native_frames_of(int pid, int tid, Nanos within) {
    const UniqueFd dir(
        ::open(("/proc/" + std::to_string(pid)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const UniqueFd thread(::openat(dir.get(), ("task/" + std::to_string(tid)).c_str(),
                                   O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    std::uint64_t sp = 0, pc = 0, sp_after = 0, pc_after = 0;
    if (!dir || !thread || !read_place(thread.get(), sp, pc)) return {};
    CrashRecord state;
    state.sp = sp;
    state.pc = pc;
    state.pid = pid;
    state.tid = tid;
    state.machine = machine;
    state.registers.assign(register_count, 0);
    state.registers[sp_at] = sp;
    state.registers[pc_at] = pc;
    state.stack_from = sp;
    state.stack = stack_from(pid, dir.get(), sp);
    state.modules = modules_of(dir.get());
    if (!read_place(thread.get(), sp_after, pc_after) || sp != sp_after || pc != pc_after)
        return {};  // the thread moved meanwhile

    const NativeStack stack =
        parse_native_text(unwind_isolated(state, {within, Nanos{1'000'000}, 16U << 10U}));
    std::vector<std::string> named;
    for (const NativeFrame& frame : stack.frames) {
        if (named.size() == most_frames) break;
        if (frame.symbol.empty() && frame.library.empty()) continue;
        const bool everyones = is_everyones_library(frame.library);
        if (everyones && named.size() >= 2) continue;
        named.push_back(frame.library + ' ' +
                        (frame.symbol.empty() ? "(no symbol)" : frame.symbol));
    }
    // The C library's frames only say that the thread waits; the frame that called them says why.
    const auto telling = std::find_if(named.begin(), named.end(), [](const std::string& name) {
        return !is_everyones_library(std::string_view(name).substr(0, name.find(' ')));
    });
    if (telling != named.end()) named.erase(named.begin(), telling);
    return named;
}

}  // namespace holdfast
