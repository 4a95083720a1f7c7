#include "present/plan_page.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "present/page.h"
#include "present/wrap.h"

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

std::string place_of(const fit::AnatomyShare& share) {
    std::string place = share.module;
    if (!share.file.empty()) {
        const std::string line =
            formatted("{}:{}", share.file.substr(share.file.rfind('/') + 1), share.line);
        place = place.empty() ? line : place + "  " + line;
    }
    return place.empty() ? "outside any module" : place;
}

namespace {

constexpr int amount_width = 10;

std::string filled(const char* mark, int count) {
    std::string bar;
    for (int i = 0; i < count; ++i) bar += mark;
    return bar;
}

// A bar on the scale of the GPU's memory; a part that does not fit is cut at the bar's end.
std::string bar(Bytes part, Bytes whole, int width, bool unicode) {
    const int length = static_cast<int>(
        std::clamp(part.share_of(whole), 0.0, 1.0) * static_cast<double>(width) + 0.5);
    return filled(unicode ? "█" : "#", part.count > 0 ? std::max(1, length) : 0);
}

void answer(Page& page, const fit::Plan& plan) {
    page.paragraph(plan_headline(plan), {.colour = plan.fits ? &Paint::good : &Paint::bad});
    page.paragraph(plan_margin(plan));
    if (const std::string text = plan_largest(plan); !text.empty()) page.paragraph(text);
}

void anatomy(Page& page, const fit::Plan& plan) {
    const fit::Anatomy& parts = plan.anatomy;
    constexpr int name_width = 14;
    page.blank();
    page.section("memory");
    const Bytes whole = std::max(plan.capacity, plan.peak_reserved + parts.context);
    const int width = std::max(4, page.body_width() - name_width - amount_width - 2);
    for (const PlanPart& row : plan_parts(parts)) {
        if (row.bytes.count == 0) continue;
        page.row(formatted("{:>{}}  {:<{}}", human(row.bytes), amount_width, row.name, name_width) +
                 bar(row.bytes, whole, width, page.style().unicode));
    }
    if (!parts.moment.empty()) page.text("at " + parts.moment);
    if (parts.activations_by_place.empty()) return;
    page.blank();
    page.section("held by");
    const std::size_t shown = std::min<std::size_t>(6, parts.activations_by_place.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const fit::AnatomyShare& share = parts.activations_by_place[i];
        page.pair(formatted("{:>{}}", human(share.bytes), amount_width), amount_width + 2,
                  place_of(share), 2);
    }
}

void host(Page& page, const fit::HostMemory& host) {
    page.blank();
    page.section("host");
    const auto row = [&](Bytes bytes, const std::string& text) {
        if (bytes.count > 0)
            page.pair(formatted("{:>{}}", human(bytes), amount_width), amount_width + 2, text, 2);
    };
    const fit::HostFacts& facts = host.facts;
    row(host.total(), "of the machine's own memory, without Python and its libraries:");
    row(host.dataset, "the datasets");
    row(host.waiting,
        facts.workers == 0
            ? formatted("the batch in use, {}", human(host.batch))
            : formatted("batches of {} {}: {} workers x {} ahead, and one in use",
                        human(host.batch), facts.pinned ? "pinned" : "in shared memory",
                        facts.workers, facts.prefetch));
    row(host.making, "batches being made");
    row(host.workers, facts.objects.count > 0
                          ? "the workers' own, with their copies of Python objects"
                          : "the workers' own");
}

void ways(Page& page, const fit::Plan& plan) {
    if (plan.ways.empty()) return;
    page.blank();
    page.section("ways");
    int number = 0;
    for (const fit::Way& way : plan.ways) {
        page.text(
            formatted("{}. {}: {} less, {}{}{}", ++number, way.text, human(way.saves),
                      way.fits ? "fits" : "still too much", way.note.empty() ? "" : "; ", way.note),
            {.hang = 3});
        page.code(way.code, 5, 2);
    }
}

}  // namespace

std::string plan_page(const fit::Plan& plan, const Style& style) {
    Page page(style);
    page.blank();
    answer(page, plan);
    anatomy(page, plan);
    if (plan.host) host(page, *plan.host);
    ways(page, plan);
    if (!plan.missing.empty()) {
        page.blank();
        page.section("missing");
        for (const std::string& text : plan.missing) page.text(text, {.hang = 2});
    }
    page.blank();
    return page.take();
}

}  // namespace holdfast
