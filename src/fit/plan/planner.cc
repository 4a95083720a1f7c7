#include "fit/plan/planner.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "fit/capture/batch_family.h"
#include "fit/plan/search.h"
#include "fit/replay/anatomy.h"
#include "fit/replay/replay.h"

namespace holdfast::fit {
namespace {

// By how much a predicted peak of reserved memory may be off, depending on where the workspaces of
// convolutions come from: nine of ten steps measured on an H200 stayed within it (bench/fit).
double band_of(const Program& program) {
    if (program.by_rule > 0) return 0.12;
    if (program.by_likeness > 0) return 0.08;
    return 0.02;
}

Bytes part_of(Bytes whole, double share) {
    return {static_cast<std::uint64_t>(static_cast<double>(whole.count) * share)};
}

// Whether the answer stays the same on a smaller card (or, if the step does not fit, on a larger
// one). The difference is three bands: all but one or two predictions in a hundred were within
// that.
bool stands(const Program& program, const ReplayOptions& limited, const Replayed& held,
            double band) {
    const double apart = 3 * band;
    ReplayOptions other = limited;
    other.limit =
        part_of(*limited.limit, held.out_of_memory ? 1 + apart : std::max(0.0, 1 - apart));
    return replay(program, other).out_of_memory == held.out_of_memory;
}

struct Change {
    const char* name;  // as the capture side knows it
    const char* text;
    const char* code;
    const char* note;  // what else it changes, apart from memory
};

// The mildest changes first: those that only save memory, then those that cost time, then those
// that change numbers.
constexpr std::array changes{
    Change{"set-to-none", "free the gradients between steps",
           "optimizer.zero_grad(set_to_none=True)", ""},
    Change{"fused", "take the fused optimizer, which needs no temporaries",
           "torch.optim.AdamW(model.parameters(), lr=..., fused=True)", ""},
    Change{"accumulate-2", "two micro-batches a step, gradients accumulated",
           "(loss / 2).backward()  # twice, then optimizer.step()",
           "same gradients, except through batch norm"},
    Change{"accumulate-4", "four micro-batches a step, gradients accumulated",
           "(loss / 4).backward()  # four times, then optimizer.step()",
           "same gradients, except through batch norm"},
    Change{"accumulate-8", "eight micro-batches a step, gradients accumulated",
           "(loss / 8).backward()  # eight times, then optimizer.step()",
           "same gradients, except through batch norm"},
    Change{"checkpoint", "recompute the repeated blocks in backward",
           "torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)",
           "same numbers, about a third more time"},
    Change{"bf16", "run forward in bfloat16",
           "with torch.autocast('cuda', dtype=torch.bfloat16): ...", "other rounding, faster"},
    Change{"adam-8bit", "keep the optimizer's state in 8 bits",
           "bitsandbytes.optim.AdamW8bit(model.parameters(), lr=...)", "other rounding"},
    Change{"sgd", "plain SGD keeps no state", "torch.optim.SGD(model.parameters(), lr=...)",
           "a different optimizer: tune it again"},
};

Way way_of(const Change& change) {
    Way way;
    way.name = change.name;
    way.text = change.text;
    way.code = change.code;
    way.note = change.note;
    return way;
}

void measure(Way& way, const Program& program, const PlanRequest& request,
             const AllocatorOptions& allocator, const Plan& plan) {
    way.peak_reserved = typical_replay(program, {allocator, std::nullopt}).told.stats.peak_reserved;
    way.fits =
        orders_that_fit(program, {allocator, request.capacity - request.context}) == address_orders;
    way.saves = plan.peak_reserved - way.peak_reserved;
}

// Changes that would save memory. Each is captured and replayed, none is estimated. Those that make
// the step fit come first, the mildest of them in front. If a change is not possible for this
// program, the plan's `missing` says so.
std::vector<Way> find_ways(CaptureSource& source, const PlanRequest& request,
                           const Workspaces& workspaces, Plan& plan) {
    std::vector<Way> ways;
    const auto add = [&](Way way) {
        if (way.saves.count > 0 || (way.fits && !plan.fits)) ways.push_back(std::move(way));
    };
    if (!request.allocator.expandable_segments) {
        if (auto same = source.capture(plan.batch, "")) {
            Way way = way_of({"expandable-segments",
                              "let segments grow, so that less memory is lost between blocks",
                              "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True", ""});
            AllocatorOptions allocator = request.allocator;
            allocator.expandable_segments = true;
            measure(way, compile(*same, workspaces), request, allocator, plan);
            add(std::move(way));
        }
    }
    for (const Change& change : changes) {
        auto capture = source.capture(plan.batch, change.name);
        if (!capture) {
            plan.missing.push_back(std::string(change.name) + ": " + capture.error().text);
            continue;
        }
        Way way = way_of(change);
        measure(way, compile(*capture, workspaces), request, request.allocator, plan);
        add(std::move(way));
    }
    // `changes` is sorted from the mildest on: keep that order within both parts.
    std::stable_partition(ways.begin(), ways.end(), [](const Way& way) { return way.fits; });
    return ways;
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
    // An estimate may be too low, but what is said to fit must fit: so take the room to be smaller
    // by the band. Every answer of the plan uses this room.
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
    // Nobody knows well enough what cuDNN does when its first plan finds no room.
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
        // Captures two more points: a line needs one of them, a parabola (a loss over pairs of
        // samples) both.
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
        // The search is stricter than the plan; but a batch that the plan says fits must count.
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
