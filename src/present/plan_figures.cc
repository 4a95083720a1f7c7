#include "present/plan_figures.h"

#include "base/format.h"

namespace holdfast {

std::string plan_headline(const fit::Plan& plan) {
    const Bytes need = plan.peak_reserved + plan.anatomy.context;
    const std::string what = plan.batch == 0 ? "It" : formatted("Batch {}", plan.batch);
    if (plan.fits && need > plan.capacity)
        return formatted("{} only just fits {}: on a larger GPU it would reserve {}", what,
                         human(plan.capacity), human(need));
    return plan.fits ? formatted("{} fits: {} of {}", what, human(need), human(plan.capacity))
                     : formatted("{} does not fit: it needs {}, but there are {}", what,
                                 human(need), human(plan.capacity));
}

std::string plan_margin(const fit::Plan& plan) {
    if (plan.fits && plan.margin < 0)
        return "It fits only because the allocator frees cached memory during the step.";
    const Bytes apart{static_cast<std::uint64_t>(plan.margin < 0 ? -plan.margin : plan.margin)};
    return formatted("{} {}; {} may be off by {:.0f} %.", human(apart),
                     plan.margin < 0 ? "too much" : "to spare",
                     plan.estimate ? "an estimate, which" : "the figure", plan.band * 100);
}

std::string plan_largest(const fit::Plan& plan) {
    if (!plan.largest_batch) return {};
    if (plan.largest_is_bound)
        return formatted("Largest batch: more than {}.", *plan.largest_batch);
    if (*plan.largest_batch == 0) return "Not even a batch of 1 fits.";
    return formatted("Largest batch that fits: {}.", *plan.largest_batch);
}

std::string place_of(const fit::Share& share) {
    std::string place = share.module;
    if (!share.file.empty()) {
        const std::string line =
            formatted("{}:{}", share.file.substr(share.file.rfind('/') + 1), share.line);
        place = place.empty() ? line : place + "  " + line;
    }
    return place.empty() ? "outside any module" : place;
}

}  // namespace holdfast
