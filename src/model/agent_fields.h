// Internal: the fields of what agents and crashes told, in a recording.
#pragma once

#include <array>

#include "model/agent_evidence.h"
#include "model/fields.h"

namespace holdfast::fields {

inline constexpr std::array<std::string_view, 3> exit_call_names{"sys_exit", "os_exit", "c_exit"};
inline constexpr std::array<std::string_view, 10> note_kinds{
    "warning",   "shutdown_request", "cell",      "cuda_oom",   "hook_failed",
    "framework", "kept_tensors",     "nonfinite", "validation", "collector_off",
};

template <class Json>
void describe(Json& json, Ref<Json, GrowthSeen> growth) {
    json.field("in_all", growth.in_all);
    json.field("steps", growth.steps);
    json.field("per_step", growth.per_step);
    json.field("per_step_error", growth.per_step_error);
    json.field("per_minute", growth.per_minute);
    json.field("windows", growth.windows);
}

template <class Json>
void describe(Json& json, Ref<Json, MemoryWindow> window) {
    json.field("end", window.end);
    json.field("step", window.step);
    json.field("resident", window.resident);
    json.field("gpu_allocated", window.gpu_allocated);
}

template <class Json>
void describe(Json& json, Ref<Json, SiteHistory> site) {
    json.field("stack", site.stack);
    json.field("gpu", site.gpu);
    json.field("foreign", site.foreign);
    json.field("borrowed", site.borrowed);
    json.field("small_objects", site.small_objects);
    json.field("unseen", site.unseen);
    json.field("live", site.live);
    json.field("peak", site.peak);
    json.field("asked", site.asked);
    json.field("error", site.error);
    json.field("blocks", site.blocks);
    json.field("at_windows", site.at_windows);
}

template <class Json>
void describe(Json& json, Ref<Json, GpuStep> step) {
    json.field("time", step.time);
    json.field("number", step.number);
    json.field("allocated", step.allocated);
}

template <class Json>
void describe(Json& json, Ref<Json, MemoryHistory> history) {
    json.field("frames", history.frames);
    json.field("windows", history.windows);
    json.field("latest", history.latest);
    json.field("sites", history.sites);
    json.field("gpu_steps", history.gpu_steps);
}

template <class Json>
void describe(Json& json, Ref<Json, SiteEvidence> site) {
    json.field("frames", site.frames);
    json.field("live", site.live);
    json.field("peak", site.peak);
    json.field("error", site.error);
    json.field("borrowed", site.borrowed);
    json.field("small_objects", site.small_objects);
    json.field("before_steps", site.before_steps);
    json.field("blocks", site.blocks);
    json.field("growth", site.growth);
    json.field("rises", site.rises);
}

template <class Json>
void describe(Json& json, Ref<Json, LeakEvidence> leak) {
    json.field("frames", leak.frames);
    json.field("live", leak.live);
    json.field("error", leak.error);
    json.field("borrowed", leak.borrowed);
    json.field("several_lines", leak.several_lines);
    json.field("growth", leak.growth);
}

template <class Json>
void describe(Json& json, Ref<Json, ExceptionEvidence> thrown) {
    json.field("time", thrown.time);
    json.field("in_main_thread", thrown.in_main_thread);
    json.field("thread", thrown.thread);
    json.field("type", thrown.type);
    json.field("message", thrown.message);
    json.field("causes", thrown.causes);
    json.field("frames", thrown.frames);
}

template <class Json>
void describe(Json& json, Ref<Json, ExitCallEvidence> exit) {
    json.field("time", exit.time);
    json.choice("how", exit.how, exit_call_names);
    json.field("status", exit.status);
    json.field("frames", exit.frames);
}

template <class Json>
void describe(Json& json, Ref<Json, NoteEvidence> note) {
    json.choice("kind", note.kind, note_kinds);
    json.field("time", note.time);
    json.field("a", note.a);
    json.field("b", note.b);
    json.field("text", note.text);
}

template <class Json>
void describe(Json& json, Ref<Json, StepsEvidence> steps) {
    json.field("count", steps.count);
    json.field("epoch", steps.epoch);
    json.field("source", steps.source);
    json.field("first", steps.first);
    json.field("last", steps.last);
    json.field("usual", steps.usual);
    json.field("longest", steps.longest);
    json.field("recent_median", steps.recent_median);
    json.field("recent_slowest", steps.recent_slowest);
    json.field("first_nonfinite", steps.first_nonfinite);
    json.field("last_finite_loss", steps.last_finite_loss);
    json.field("gpu_allocated_last", steps.gpu_allocated_last);
    json.field("gpu_growth", steps.gpu_growth);
}

inline constexpr std::array<std::string_view, 4> refusal_kinds{"refused", "too_large",
                                                               "nothing_left", "brink"};

template <class Json>
void describe(Json& json, Ref<Json, RefusalEvidence> refusal) {
    json.choice("kind", refusal.kind, refusal_kinds);
    json.field("time", refusal.time);
    json.field("asked", refusal.asked);
    json.field("room", refusal.room);
    json.field("limit", refusal.limit);
    json.field("frames", refusal.frames);
}

template <class Json>
void describe(Json& json, Ref<Json, KeeperEvidence> keeper) {
    json.field("time", keeper.time);
    json.field("name", keeper.name);
    json.field("kind", keeper.kind);
    json.field("file", keeper.file);
    json.field("items", keeper.items);
    json.field("live", keeper.live);
    json.field("grown", keeper.grown);
    json.field("graphs", keeper.graphs);
    json.field("unweighed", keeper.unweighed);
    json.field("views", keeper.views);
    json.field("filled_at", keeper.filled_at);
}

template <class Json>
void describe(Json& json, Ref<Json, GuardEvidence> guard) {
    json.field("refused", guard.refused);
    json.field("warned", guard.warned);
    json.field("last", guard.last);
}

template <class Json>
void describe(Json& json, Ref<Json, LaunchEvidence> launch) {
    json.field("kernel", launch.kernel);
    json.field("line", launch.line);
    json.field("borrowed", launch.borrowed);
    json.field("count", launch.count);
}

template <class Json>
void describe(Json& json, Ref<Json, LaunchesEvidence> launches) {
    json.field("time", launches.time);
    json.field("all_seen", launches.all_seen);
    json.field("elsewhere", launches.elsewhere);
    json.field("graphs", launches.graphs);
    json.field("rows", launches.rows);
}

template <class Json>
void describe(Json& json, Ref<Json, SignalSeen> signal) {
    json.field("time", signal.time);
    json.field("number", signal.number);
    json.field("sender_pid", signal.sender_pid);
    json.field("sender_uid", signal.sender_uid);
    json.field("sender", signal.sender);
    json.field("from_kernel", signal.from_kernel);
    json.field("whole_group", signal.whole_group);
}

template <class Json>
void describe(Json& json, Ref<Json, AgentEvidence> agent) {
    json.field("pid", agent.pid);
    json.field("taken", agent.taken);
    json.field("ended", agent.ended);
    json.field("python", agent.python);
    json.field("lines_readable", agent.lines_readable);
    json.field("place_time", agent.place_time);
    json.field("place", agent.place);
    json.field("no_line_since", agent.no_line_since);
    json.field("exit", agent.exit);
    json.field("exceptions", agent.exceptions);
    json.field("notes", agent.notes);
    json.field("signals", agent.signals);
    json.field("steps", agent.steps);
    json.field("live", agent.live);
    json.field("peak", agent.peak);
    json.field("memory", agent.memory);
    json.field("sites", agent.sites);
    json.field("leak", agent.leak);
    json.field("guard", agent.guard);
    json.field("keepers", agent.keepers);
    json.field("launches", agent.launches);
}

template <class Json>
void describe(Json& json, Ref<Json, SharedLibraryUse> use) {
    json.field("library", use.library);
    json.field("threads", use.threads);
}

template <class Json>
void describe(Json& json, Ref<Json, StacksEvidence> stacks) {
    json.field("pid", stacks.pid);
    json.field("time", stacks.time);
    json.field("threads", stacks.threads);
}

template <class Json>
void describe(Json& json, Ref<Json, CrashEvidence> crash) {
    json.field("pid", crash.pid);
    json.field("thread", crash.thread);
    json.field("time", crash.time);
    json.field("signal", crash.signal);
    json.field("code", crash.code);
    json.field("finished", crash.finished);
    json.field("survived", crash.survived);
    json.field("sender_pid", crash.sender_pid);
    json.field("sender_uid", crash.sender_uid);
    json.field("address", crash.address);
    json.field("native", crash.native);
    json.field("python", crash.python);
    json.field("instruction", crash.instruction);
    json.field("exception_type", crash.exception_type);
    json.field("exception_what", crash.exception_what);
    json.field("abort_text", crash.abort_text);
    json.field("unread", crash.unread);
    json.field("library", crash.library);
    json.field("in_stack_guard", crash.in_stack_guard);
    json.field("frames_repeat", crash.frames_repeat);
    json.field("near_null", crash.near_null);
    json.field("in_allocator", crash.in_allocator);
    json.field("runtimes", crash.runtimes);
    json.field("mapped_file", crash.mapped_file);
    json.field("shared", crash.shared);
}

}  // namespace holdfast::fields
