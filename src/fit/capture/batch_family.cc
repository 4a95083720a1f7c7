#include "fit/capture/batch_family.h"

#include <algorithm>
#include <cmath>

namespace holdfast::fit {
namespace {

// An integer on the line through (x0, y0) and (x1, y1). Exact: sizes that grow with the batch grow
// linearly.
std::int64_t on_line(std::uint64_t x, std::uint64_t x0, std::int64_t y0, std::uint64_t x1,
                     std::int64_t y1) {
    const long double run = static_cast<long double>(x1) - static_cast<long double>(x0);
    const long double share = (static_cast<long double>(x) - static_cast<long double>(x0)) / run;
    return static_cast<std::int64_t>(
        std::llround(static_cast<long double>(y0) + static_cast<long double>(y1 - y0) * share));
}

std::int64_t on_parabola(std::uint64_t x, const std::uint64_t (&xs)[3],
                         const std::int64_t (&ys)[3]) {
    long double sum = 0;
    for (int i = 0; i < 3; ++i) {
        long double term = static_cast<long double>(ys[i]);
        for (int j = 0; j < 3; ++j) {
            if (j == i) continue;
            term *= (static_cast<long double>(x) - static_cast<long double>(xs[j])) /
                    (static_cast<long double>(xs[i]) - static_cast<long double>(xs[j]));
        }
        sum += term;
    }
    return static_cast<std::int64_t>(std::llround(sum));
}

}  // namespace

bool same_structure(const Capture& a, const Capture& b) {
    if (a.events.size() != b.events.size() || a.values.size() != b.values.size()) return false;
    for (std::size_t i = 0; i < a.events.size(); ++i) {
        const CaptureEvent& x = a.events[i];
        const CaptureEvent& y = b.events[i];
        if (x.kind != y.kind || x.subject != y.subject || x.fact != y.fact || x.count != y.count)
            return false;
    }
    return true;
}

void BatchFamily::add(Capture capture) {
    const auto place = std::ranges::lower_bound(captures_, capture.batch, {}, &Capture::batch);
    if (place != captures_.end() && place->batch == capture.batch)
        *place = std::move(capture);
    else
        captures_.insert(place, std::move(capture));
}

std::optional<Capture> BatchFamily::at(std::uint64_t batch) const {
    std::vector<const Capture*> near;
    for (const Capture& capture : captures_) {
        if (capture.batch == batch) return capture;
        near.push_back(&capture);
    }
    const auto apart = [&](const Capture* capture) {
        return capture->batch > batch ? capture->batch - batch : batch - capture->batch;
    };
    std::ranges::sort(near, {}, apart);
    if (near.empty()) return std::nullopt;
    std::erase_if(near, [first = near.front()](const Capture* capture) {
        return capture != first && !same_structure(*first, *capture);
    });
    if (near.size() < 2) return std::nullopt;
    Capture made = *near[0];
    made.batch = batch;
    for (std::size_t i = 0; i < made.values.size(); ++i) {
        const std::int64_t y0 = near[0]->values[i];
        const std::int64_t y1 = near[1]->values[i];
        const std::int64_t line = on_line(batch, near[0]->batch, y0, near[1]->batch, y1);
        made.values[i] = line;
        if (near.size() < 3) continue;
        const std::int64_t y2 = near[2]->values[i];
        if (on_line(near[2]->batch, near[0]->batch, y0, near[1]->batch, y1) != y2)
            made.values[i] =
                on_parabola(batch, {near[0]->batch, near[1]->batch, near[2]->batch}, {y0, y1, y2});
    }
    return made;
}

}  // namespace holdfast::fit
