// The plan as JSON, for programs.
#include "base/json.h"
#include "base/text.h"
#include "fit/plan/plan.h"

namespace holdfast::fit {
namespace {

const char* name_of(Confidence confidence) {
    switch (confidence) {
    case Confidence::certain: return "certain";
    case Confidence::likely: return "likely";
    case Confidence::unknown: break;
    }
    return "unknown";
}

Json anatomy_json(const Anatomy& anatomy) {
    Json places = Json::list();
    for (const AnatomyShare& share : anatomy.activations_by_place)
        places.push_back(Json::object({{"module", printable(share.module)},
                                       {"file", printable(share.file)},
                                       {"line", share.line},
                                       {"bytes", share.bytes.count}}));
    return Json::object({{"weights_bytes", anatomy.weights.count},
                         {"gradients_bytes", anatomy.gradients.count},
                         {"optimizer_bytes", anatomy.optimizer.count},
                         {"activations_bytes", anatomy.activations.count},
                         {"inputs_bytes", anatomy.inputs.count},
                         {"temporaries_bytes", anatomy.temporaries.count},
                         {"workspaces_bytes", anatomy.workspaces.count},
                         {"fragmentation_bytes", anatomy.fragmentation.count},
                         {"context_bytes", anatomy.context.count},
                         {"moment", printable(anatomy.moment)},
                         {"activations", std::move(places)}});
}

Json host_json(const HostMemory& host) {
    return Json::object({{"total_bytes", host.total().count},
                         {"dataset_bytes", host.dataset.count},
                         {"waiting_bytes", host.waiting.count},
                         {"making_bytes", host.making.count},
                         {"workers_bytes", host.workers.count},
                         {"batch_bytes", host.batch.count},
                         {"workers", host.facts.workers},
                         {"prefetch", host.facts.prefetch},
                         {"pinned", host.facts.pinned}});
}

}  // namespace

std::string plan_json(const Plan& plan) {
    Json ways = Json::list();
    for (const Way& way : plan.ways)
        ways.push_back(Json::object({{"name", way.name},
                                     {"text", way.text},
                                     {"code", way.code},
                                     {"note", way.note},
                                     {"fits", way.fits},
                                     {"peak_reserved_bytes", way.peak_reserved.count},
                                     {"saves_bytes", way.saves.count}}));
    Json missing = Json::list();
    for (const std::string& text : plan.missing) missing.push_back(printable(text));
    const Json json = Json::object({
        {"schema", plan_schema},
        {"fits", plan.fits},
        {"confidence", name_of(plan.confidence)},
        {"estimate", plan.estimate},
        {"batch", plan.batch != 0 ? Json(plan.batch) : Json()},
        {"peak_reserved_bytes", plan.peak_reserved.count},
        {"peak_allocated_bytes", plan.peak_allocated.count},
        {"peak_requested_bytes", plan.peak_requested.count},
        {"least_reserved_bytes", plan.least_reserved.count},
        {"most_reserved_bytes", plan.most_reserved.count},
        {"largest_batch", plan.largest_batch ? Json(*plan.largest_batch) : Json()},
        {"capacity_bytes", plan.capacity.count},
        {"context_bytes", plan.anatomy.context.count},
        {"margin_bytes", plan.margin},
        {"band", plan.band},
        {"allocator_retries", plan.retries},
        {"device", plan.device},
        {"torch", printable(plan.torch)},
        {"anatomy", anatomy_json(plan.anatomy)},
        {"host", plan.host ? host_json(*plan.host) : Json()},
        {"ways", std::move(ways)},
        {"missing", std::move(missing)},
    });
    return json.dump(2) + '\n';
}

}  // namespace holdfast::fit
