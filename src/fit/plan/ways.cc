#include "fit/plan/ways.h"

#include <algorithm>
#include <array>

#include "fit/replay/replay.h"

namespace holdfast::fit {
namespace {

struct Change {
    const char* name;  // as the capture side knows it
    const char* text;
    const char* code;
    const char* note;  // what else it changes, apart from memory
};

// In the order of how little they change: what only saves memory first, then time, then numbers.
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

}  // namespace

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
    // Within the fitting and the rest alike, `changes` already runs from the mildest on.
    std::stable_partition(ways.begin(), ways.end(), [](const Way& way) { return way.fits; });
    return ways;
}

}  // namespace holdfast::fit
