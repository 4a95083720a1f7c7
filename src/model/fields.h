// Internal: the fields that verdict and evidence share. Each type is described once, and the
// description serves both directions, so that what is written can be read.
#pragma once

#include <type_traits>

#include "model/json_reader.h"
#include "model/json_writer.h"
#include "model/verdict.h"

namespace holdfast::fields {

template <class Json, class T>
using Ref = std::conditional_t<Json::writes, const T&, T&>;

template <class Json>
void describe(Json& json, Ref<Json, ExitStatus> exit) {
    json.field("code", exit.code);
    json.signal("signal", exit.signal);
}

template <class Json>
void describe(Json& json, Ref<Json, Frame> frame) {
    json.field("file", frame.file);
    json.field("line", frame.line);
    json.field("function", frame.function);
}

template <class Json>
void describe(Json& json, Ref<Json, PythonStack> stack) {
    json.field("thread", stack.thread);
    json.field("frames", stack.frames);
}

template <class Json>
void describe(Json& json, Ref<Json, NativeFrame> frame) {
    json.field("library", frame.library);
    json.field("symbol", frame.symbol);
    json.field("offset", frame.offset);
    json.field_unless_empty("file", frame.file);
    json.field("line", frame.line);
}

template <class Json>
void describe(Json& json, Ref<Json, RunSummary> run) {
    json.field("id", run.id);
    json.field("name", run.name);
    json.field("command", run.command);
    json.wall("started", run.started_wall);
    json.wall("ended", run.ended_wall);
    json.field("host", run.host);
}

template <class Json>
void describe(Json& json, Ref<Json, MemorySite> site) {
    json.field("file", site.file);
    json.field("line", site.line);
    json.field("live_bytes", site.live);
    json.field("growth_per_step_bytes", site.growth_per_step);
    json.field("error_bytes", site.error);
}

template <class Json>
void describe(Json& json, Ref<Json, CurvePoint> point) {
    if (json.contract())
        json.seconds("seconds", point.time);
    else
        json.field("time", point.time);
    json.field("used_bytes", point.used);
    json.field("limit_bytes", point.limit);
    json.field("left_bytes", point.left);
}

template <class Json>
void describe(Json& json, Ref<Json, MemorySummary> memory) {
    json.field("peak_bytes", memory.peak);
    json.field("limit_bytes", memory.limit);
    json.field("limit_name", memory.limit_name);
    json.field("top_sites", memory.top_sites);
    json.field("curve", memory.curve);
}

}  // namespace holdfast::fields
