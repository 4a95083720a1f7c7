#include "fit/plan/planner.h"

#include <algorithm>

#include "fit/capture/batch_family.h"
#include "fit/plan/search.h"
#include "fit/plan/ways.h"
#include "fit/replay/anatomy.h"
#include "fit/replay/replay.h"

namespace holdfast::fit {
namespace {

// The assumed error of a reserved peak, by the source of the convolutions' workspaces: nine of ten
// steps measured on an H200 stayed below it (bench/fit).
double band_of(const Program& program) {
    if (program.by_rule > 0) return 0.12;
    if (program.by_likeness > 0) return 0.08;
    return 0.02;
}

Bytes part_of(Bytes whole, double share) {
    return {static_cast<std::uint64_t>(static_cast<double>(whole.count) * share)};
}

// Whether the answer would be the same on a card that is smaller, or larger, by more than such
// predictions were ever seen to be off but once or twice in a hundred.
bool stands(const Program& program, const ReplayOptions& limited, const Replayed& held,
            double band) {
    const double apart = 3 * band;
    ReplayOptions other = limited;
    other.limit =
        part_of(*limited.limit, held.out_of_memory ? 1 + apart : std::max(0.0, 1 - apart));
    return replay(program, other).out_of_memory == held.out_of_memory;
}

}  // namespace

Result<Plan> make_plan(CaptureSource& source, const PlanRequest& request,
                       const Workspaces& workspaces) {
    auto first = source.capture(request.batch, "");
    if (!first) return first.error();
    BatchFamily family;
    const Program program = compile(*first, workspaces);
    const ReplayOptions unlimited{request.allocator, std::nullopt};
    const ReplayOptions limited{request.allocator, request.capacity - request.context};
    // An estimate may be too low, and what is said to fit must: the room is taken to be smaller by
    // as much. Every answer of a plan is judged by the same room.
    const double band = std::max(band_of(program), first->estimate);
    ReplayOptions judged = limited;
    if (first->estimate > 0) judged.limit = part_of(*limited.limit, 1 / (1 + band));
    const Typical typical = typical_replay(program, unlimited);
    const Replayed& free_run = typical.told;
    const std::uint32_t fitting = orders_that_fit(program, judged);
    const Replayed held = replay(program, judged);

    Plan plan;
    plan.batch = first->batch;
    plan.capacity = request.capacity;
    plan.device = std::string(workspaces.device().name);
    plan.torch = first->torch;
    plan.allocator = request.allocator_text;
    plan.missing = first->missing;
    plan.fits = !held.out_of_memory;
    plan.retries = held.stats.retries;
    plan.peak_reserved = free_run.stats.peak_reserved;
    plan.peak_allocated = free_run.stats.peak_allocated;
    plan.peak_requested = free_run.stats.peak_requested;
    plan.margin = static_cast<std::int64_t>(request.capacity.count) -
                  static_cast<std::int64_t>((plan.peak_reserved + request.context).count);
    plan.estimate = first->estimate > 0;
    plan.band = band;
    plan.least_reserved = typical.least;
    plan.most_reserved = typical.most;
    // What cuDNN does if its first plan finds no room is not known well enough to be certain.
    const bool split = fitting != 0 && fitting != address_orders;
    const bool sure =
        !plan.estimate && !split && held.refused == 0 && stands(program, limited, held, plan.band);
    plan.confidence = sure ? Confidence::certain : Confidence::likely;
    plan.anatomy = anatomy_of(*first, program, free_run);
    plan.anatomy.context = request.context;
    if (first->host) plan.host = host_memory(*first->host);
    if (program.by_rule > 0)
        plan.missing.push_back("workspaces of " + std::to_string(program.by_rule) + " of " +
                               std::to_string(program.convolutions) +
                               " convolutions are estimated by rule: none like them was measured "
                               "on this kind of GPU (holdfast fit --calibrate)");
    if (plan.fits && held.refused > 0)
        plan.missing.push_back(
            "memory for the workspaces of " + std::to_string(held.refused) +
            " convolutions: cuDNN takes slower plans without them, and the step runs");
    if (request.allocator.other_backend)
        plan.missing.push_back("the cudaMallocAsync backend is not modelled; torch's own is shown");

    const bool other_batches = source.any_batch();
    family.add(std::move(*first));
    if (request.largest && other_batches) {
        // Two more points: a line needs one, a parabola (a loss over pairs of samples) the other.
        for (const std::uint64_t batch : {plan.batch * 2, plan.batch * 3}) {
            auto more = source.capture(batch, "");
            if (!more) {
                plan.missing.push_back("no capture at batch " + std::to_string(batch) + ": " +
                                       more.error().text);
                continue;
            }
            family.add(std::move(*more));
        }
        const Largest largest = largest_batch(source, family, workspaces, judged, plan.batch);
        // The search requires more than the plan; a batch that the plan says fits, counts as
        // fitting.
        plan.largest_batch = std::max(largest.batch.value_or(0), plan.fits ? plan.batch : 0);
        plan.largest_is_bound = largest.bound;
        if (!largest.unverified.empty())
            plan.missing.push_back("the largest batch itself was not captured: " +
                                   largest.unverified);
    }
    if (request.ways && (request.all_ways || !plan.fits))
        plan.ways = find_ways(source, request, workspaces, plan);
    return plan;
}

}  // namespace holdfast::fit
