// Evidence as a recording: complete, so that a saved death can always be judged again.
#include "model/evidence_fields.h"
#include "model/json.h"

namespace holdfast {
namespace fields {

template <class Json>
void describe(Json& json, Ref<Json, Missing> missing) {
    json.choice("what", missing.what, missing_kind_words);
    json.field_unless_empty("detail", missing.detail);
}

template <class Json>
void describe(Json& json, Ref<Json, Evidence> evidence) {
    json.schema();
    json.field("run", evidence.run);
    json.field("holdfast_version", evidence.holdfast_version);
    json.field("main_pid", evidence.main_pid);
    json.field("ended", evidence.ended);
    json.field("supervisor_lost", evidence.supervisor_lost);
    json.field("command_alive", evidence.command_alive);
    json.field("exit", evidence.exit);
    json.field("core_dumped", evidence.core_dumped);
    json.field("end_time", evidence.end_time);
    json.field("processes", evidence.processes);
    json.field("cgroups", evidence.cgroups);
    json.field("host", evidence.host);
    json.field("pressure", evidence.pressure);
    json.field("disks", evidence.disks);
    json.field("neighbours", evidence.neighbours);
    json.field("kernel_log", evidence.kernel_log);
    json.field("kernel_log_complete", evidence.kernel_log_complete);
    json.field("signals", evidence.signals);
    json.field("gpus", evidence.gpus);
    json.field("agents", evidence.agents);
    json.field("crashes", evidence.crashes);
    json.field("stacks", evidence.stacks);
    json.field("stalls", evidence.stalls);
    json.field("scheduler", evidence.scheduler);
    json.field("stderr_tail", evidence.stderr_tail);
    json.field("stderr_seen", evidence.stderr_seen);
    json.field("traceback", evidence.traceback);
    json.field("memory", evidence.memory);
    json.field("missing", evidence.missing);  // old recordings have sentences
}

}  // namespace fields

std::string to_json(const Evidence& evidence) {
    fields::JsonWriter json(fields::Form::recording);
    describe(json, evidence);
    return json.text();
}

Result<Evidence> evidence_from_json(std::string_view text) {
    return fields::read_document<Evidence>(text, fields::Form::recording).context("evidence");
}

}  // namespace holdfast
