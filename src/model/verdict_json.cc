// The verdict as the contract's JSON, schema 1.
#include <array>

#include "model/fields.h"
#include "model/json.h"

namespace holdfast {
namespace fields {

constexpr std::array<std::string_view, 4> outcome_names{"finished", "died", "stuck", "running"};
constexpr std::array<std::string_view, 3> confidence_names{"unknown", "likely", "certain"};

template <class Json>
void describe(Json& json, Ref<Json, Where> where) {
    json.field("file", where.file);
    json.field("line", where.line);
    json.field("function", where.function);
    json.field("text", where.text);
}

template <class Json>
void describe(Json& json, Ref<Json, Observation> observation) {
    json.field("source", observation.source);
    json.field("text", observation.text);
}

template <class Json>
void describe(Json& json, Ref<Json, Fix> fix) {
    json.field("text", fix.text);
    json.field_unless_empty("code", fix.code);
}

template <class Json>
void describe(Json& json, Ref<Json, Keeper> keeper) {
    json.field("name", keeper.name);
    json.field("kind", keeper.kind);
    json.field("items", keeper.items);
    json.field("where", keeper.where);
}

template <class Json>
void describe(Json& json, Ref<Json, Statement> statement) {
    json.cause(statement.cause);
    json.choice("confidence", statement.confidence, confidence_names);
    json.field("summary", statement.summary);
    json.field("where", statement.where);
    json.field("evidence", statement.evidence);
    json.field("fixes", statement.fixes);
    if (!Json::writes || statement.keeper) json.field("keeper", statement.keeper);
}

template <class Json>
void describe(Json& json, Ref<Json, DecidingProcess> process) {
    json.field("pid", process.pid);
    json.field("role", process.role);
    json.field("command", process.command);
}

template <class Json>
void describe(Json& json, Ref<Json, Verdict> verdict) {
    json.schema();
    json.field("run", verdict.run);
    json.require("outcome");
    json.choice("outcome", verdict.outcome, outcome_names);
    json.field("exit", verdict.exit);
    json.field("process", verdict.process);
    json.require("end");
    json.field("end", verdict.end);
    json.require("root");
    json.field("root", verdict.root);
    json.field("choice", verdict.choice);
    json.field("contributing", verdict.contributing);
    json.field("python_stack", verdict.python_stack);
    json.field("native_stack", verdict.native_stack);
    json.field("memory", verdict.memory);
    json.field("missing", verdict.missing);
    if (!Json::writes || !verdict.foretold.empty()) json.field("foretold", verdict.foretold);
}

}  // namespace fields

std::string to_json(const Verdict& verdict) {
    fields::JsonWriter json(fields::Form::contract);
    describe(json, verdict);
    return json.text();
}

Result<Verdict> verdict_from_json(std::string_view text) {
    return fields::read_document<Verdict>(text, fields::Form::contract).context("verdict");
}

}  // namespace holdfast
