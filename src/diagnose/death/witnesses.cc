#include "diagnose/death/witnesses.h"

#include <chrono>
#include <csignal>
#include <string_view>

#include "base/format.h"
#include "base/text.h"
#include "base/time.h"
#include "diagnose/text/python_dump.h"
#include "model/library_name.h"
#include "model/own_code.h"

namespace holdfast {
namespace {

constexpr Nanos slack{2'000'000'000};  // an end is noticed a little after it happened

}  // namespace

const AgentEvidence* agent_of(const Death& death) {
    const AgentEvidence* found = nullptr;
    for (const AgentEvidence& agent : death.all.agents) {
        if (agent.pid != death.pid || death.pid <= 0) continue;
        if (death.time && agent.taken > later(*death.time, slack)) continue;
        if (found == nullptr || agent.taken >= found->taken) found = &agent;
    }
    return found;
}

const CrashEvidence* crash_of(const Death& death) {
    const CrashEvidence* found = nullptr;
    for (const CrashEvidence& crash : death.all.crashes) {
        if (crash.pid != death.pid || death.pid <= 0 || crash.survived) continue;
        if (crash.signal != death.exit.signal) continue;
        if (death.time && crash.time > later(*death.time, slack)) continue;
        found = &crash;
    }
    return found;
}

bool was_sent(const CrashEvidence& crash) {
    // The codes that the kernel itself gives are positive.
    return crash.code <= 0 && crash.sender_pid && *crash.sender_pid != crash.pid;
}

bool was_raised(const CrashEvidence& crash) {
    return crash.code <= 0 && crash.sender_pid == crash.pid;
}

const ExitCallEvidence* exit_call_of(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr || !agent->exit || !death.exit.code) return nullptr;
    const ExitCallEvidence& call = *agent->exit;
    // Every program calls exit() at its end; only a call from a Python frame is somebody's
    // decision.
    if (call.how == ExitCallEvidence::How::c_exit && call.frames.empty()) return nullptr;
    return (call.status & 0xff) == *death.exit.code ? &call : nullptr;
}

bool exit_left_a_cell(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr || exit_call_of(death) == nullptr) return false;
    const NoteEvidence* last = nullptr;
    for (const NoteEvidence& note : agent->notes) {
        if (note.kind == NoteEvidence::Kind::shutdown_request) return false;
        if (note.kind == NoteEvidence::Kind::cell) last = &note;
    }
    return last != nullptr && last->b == 1;
}

bool was_idle_kernel(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr || agent->leak || !death.time) return false;
    const NoteEvidence* last = nullptr;
    for (const NoteEvidence& note : agent->notes)
        if (note.kind == NoteEvidence::Kind::cell) last = &note;
    return last != nullptr && last->b == 0 && *death.time - last->time >= std::chrono::seconds(1);
}

std::optional<Where> own_place(const std::vector<Frame>& frames) {
    const Frame* frame = innermost_own_frame(frames);
    if (frame == nullptr) return std::nullopt;
    return Where{frame->file, frame->line, frame->function, {}};
}

NativePlace native_place(const CrashEvidence& crash) {
    // Take the first such library, even if it is stripped: a frame further out that has a name is
    // the caller's, and the caller need not be to blame.
    std::string_view library;
    for (const NativeFrame& frame : crash.native) {
        // Frames beyond the Python interpreter only called the code that crashed.
        if (frame.symbol.starts_with("_PyEval_EvalFrame")) break;
        if (is_everyones_library(frame.library)) continue;
        if (!library.empty() && frame.library != library) break;
        library = frame.library;
        if (!frame.symbol.empty() && !frame.symbol.starts_with("... ("))
            return {frame.symbol, std::string(base_name(library))};
    }
    if (!library.empty()) return {{}, std::string(base_name(library))};
    if (!crash.native.empty() && !crash.native.front().symbol.empty())
        return {crash.native.front().symbol, std::string(base_name(crash.native.front().library))};
    return {{}, std::string(base_name(crash.library))};
}

namespace {

constexpr Nanos clock_slack{5'000'000'000};

}  // namespace

const KernelLogEntry* crash_line(const Death& death) {
    if (!death.all.host.in_first_pid_namespace || death.pid <= 0) return nullptr;
    for (const KernelLogEntry& entry : death.all.kernel_log) {
        if (entry.pid != death.pid || entry.kind == KernelLogEntry::Kind::oom_kill) continue;
        const bool trap = entry.text.find(" trap ") != std::string::npos ||
                          entry.text.find("general protection") != std::string::npos;
        if (entry.kind != KernelLogEntry::Kind::segfault && !trap) continue;
        if (death.time && entry.time > later(*death.time, clock_slack)) continue;
        return &entry;
    }
    return nullptr;
}

bool faulthandler_spoke(const Death& death) {
    if (!death.decides) return false;
    const std::optional<PythonDump> dump = python_dump_at_end(death.all.stderr_tail);
    return dump && dump->names_signal;
}

Confidence sure_of_crash(const Death& death, bool decided) {
    return decided && death.sure_of_exit() ? Confidence::certain : Confidence::likely;
}

}  // namespace holdfast
