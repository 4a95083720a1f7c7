// Internal: the fields of a stall in a recording.
#pragma once

#include "model/agent_fields.h"
#include "model/fields.h"
#include "model/stall_evidence.h"

namespace holdfast::fields {

template <class Json>
void describe(Json& json, Ref<Json, WaitingThread> thread) {
    json.field("tid", thread.tid);
    json.field("name", thread.name);
    json.field("state", thread.state);
    json.choice("wait", thread.wait, wait_kind_words);
    json.field("timed", thread.timed);
    json.field("inside", thread.inside);
    json.field("own_lock", thread.own_lock);
    json.field("holds_gil", thread.holds_gil);
    json.field("call", thread.call);
    json.field("wait_channel", thread.wait_channel);
    json.field("target", thread.target);
    json.field("owner", thread.owner);
    json.field("native", thread.native);
    json.field("frames", thread.frames);
}

template <class Json>
void describe(Json& json, Ref<Json, StalledProcess> process) {
    json.field("pid", process.pid);
    json.field("traced", process.traced);
    json.field("threads", process.threads);
}

template <class Json>
void describe(Json& json, Ref<Json, StallEvidence> stall) {
    json.field("since", stall.since);
    json.field("seen", stall.seen);
    json.field("told", stall.told);
    json.field("moved", stall.moved);
    json.field("busy", stall.busy);
    json.field("inside_only", stall.inside_only);
    json.field("steps", stall.steps);
    json.field("last_step", stall.last_step);
    json.field("usual", stall.usual);
    json.field("longest", stall.longest);
    json.field("cpu", stall.cpu);
    json.field("processes", stall.processes);
}

}  // namespace holdfast::fields
