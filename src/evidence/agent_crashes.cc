// Crash records as evidence.
#include <algorithm>

#include "base/format.h"
#include "evidence/clean_text.h"
#include "evidence/crash_facts.h"
#include "evidence/gatherers.h"
#include "native/native_text.h"
#include "native/stack.h"

namespace holdfast::gatherers {
namespace {

constexpr std::size_t longest_text = 2048;
constexpr std::size_t most_threads = 32;

std::vector<PythonStack> python_stacks(const std::vector<CrashPythonThread>& threads) {
    std::vector<PythonStack> stacks;
    for (const CrashPythonThread& thread : threads) {
        if (stacks.size() == most_threads) break;
        PythonStack& stack = stacks.emplace_back();
        stack.thread =
            thread.name.empty() ? formatted("thread {}", thread.tid) : clean(thread.name, 64);
        for (auto frame = thread.frames.rbegin(); frame != thread.frames.rend(); ++frame)
            stack.frames.push_back({frame->file, frame->line, frame->function});
    }
    return stacks;
}

std::string hex(const std::vector<std::byte>& bytes) {
    std::string text;
    for (const std::byte byte : bytes)
        text += formatted("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned>(byte));
    return text;
}

// The unwinder replaces frames that it folded by one whose name begins like this.
bool repeats(const std::vector<NativeFrame>& frames) {
    return std::any_of(frames.begin(), frames.end(),
                       [](const NativeFrame& frame) { return frame.symbol.starts_with("... ("); });
}

// The name of a type is mangled like a symbol's, but without the leading mark.
std::string readable_type(const std::string& mangled) {
    if (mangled.empty()) return {};
    const std::string readable = readable_symbol("_Z" + mangled);
    return readable == "_Z" + mangled ? mangled : readable;
}

CrashEvidence crash_of(const CrashRecord& record, const RunClock& clock) {
    CrashEvidence crash;
    crash.pid = record.pid;
    crash.thread = clean(record.thread, 64);
    crash.time = clock.at(record.time.count());
    crash.signal = record.signal;
    crash.code = record.code;
    crash.finished = record.finished;
    crash.survived = record.survived;
    crash.sender_pid = record.sender_pid;
    crash.sender_uid = record.sender_uid;
    crash.address = record.address;
    crash.native = parse_native_text(record.native).frames;
    crash.python = python_stacks(record.python);
    crash.instruction = hex(record.instruction);
    crash.exception_type = clean(readable_type(record.exception_type), 256);
    crash.exception_what = clean(record.exception_what, 1024);
    crash.abort_text = clean(record.abort_text, longest_text);
    crash.unread = clean(record.unread, 8192);
    crash.library = faulting_library(record);
    crash.in_stack_guard = is_stack_overflow(record);
    crash.frames_repeat = repeats(crash.native);
    crash.near_null = is_null_access(record);
    crash.in_allocator =
        is_heap_abort(record, crash.native) || is_fault_in_allocator(record, crash.native);
    crash.runtimes = loaded_runtimes(record);
    // The fault lies in a file: code that was replaced while it ran, or a mapped file that lost a
    // page.
    if (const CrashModule* module = crash.address ? module_at(record, *crash.address) : nullptr;
        module != nullptr && module->inode)
        crash.mapped_file = module->path;
    for (const SharedLibrary& shared : libraries_with_several_threads(record))
        crash.shared.push_back({shared.library, static_cast<int>(shared.tids.size())});
    return crash;
}

}  // namespace

std::vector<CrashEvidence> crashes(const RunRecord& record, const RunClock& clock) {
    std::vector<CrashEvidence> all;
    for (const CrashRecord& crash : record.crashes)
        if (crash.pid > 0 && crash.signal > 0 && crash.signal <= 64)
            all.push_back(crash_of(crash, clock));
    return all;
}

std::vector<StacksEvidence> stacks(const RunRecord& record, const RunClock& clock) {
    std::vector<StacksEvidence> seen;
    for (const format::Stacks& look : record.stacks) {
        const std::string_view text(look.text,
                                    std::min<std::size_t>(look.text_size, sizeof look.text));
        StacksEvidence& process = seen.emplace_back();
        process.pid = look.pid;
        process.time = clock.at(look.time);
        process.threads = python_stacks(parse_crash_python(text));
        std::stable_partition(process.threads.begin(), process.threads.end(),
                              [](const auto& stack) { return stack.thread == "MainThread"; });
    }
    return seen;
}

}  // namespace holdfast::gatherers
