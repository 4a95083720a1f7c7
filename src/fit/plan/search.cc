#include "fit/plan/search.h"

#include <algorithm>

namespace holdfast::fit {
namespace {

constexpr std::uint32_t orders = 5;  // a batch counts only if it fits in all of these orders
// If a sample takes less than a hundredth of the memory, one more or less is luck: keep back half
// of a hundredth.
constexpr std::uint64_t many = 100;
constexpr std::uint64_t kept_back = 50;  // ten thousandths of the limit
constexpr std::uint64_t highest = std::uint64_t{1} << 24U;

class Search {
public:
    Search(const BatchFamily& family, const Workspaces& workspaces, const ReplayOptions& options)
        : family_(family), workspaces_(workspaces), all_(options), most_(options) {
        if (most_.limit) most_.limit = Bytes{most_.limit->count / 10000 * (10000 - kept_back)};
    }

    bool fits(std::uint64_t batch) const {
        const auto capture = family_.at(batch);
        if (!capture) return false;
        const ReplayOptions& options = batch < many ? all_ : most_;
        const Program program = compile(*capture, workspaces_);
        if (orders_that_fit(program, options, orders) != orders) return false;
        if (!options.limit || replay(program, options).refused == 0) return true;
        // If its first plan finds no room, cuDNN is assumed to take a plan without workspace, which
        // is mostly true. For the other cases, keep back the band of such predictions.
        ReplayOptions tighter = options;
        tighter.limit = Bytes{options.limit->count / 100 * 98};
        return !replay(program, tighter).out_of_memory;
    }

    // Doubles until a batch fails, then halves the gap. Best fit is not monotonous: near the limit
    // a batch may fail although a larger one fits. The answer is always one that fits.
    std::uint64_t answer(std::uint64_t start) const {
        std::uint64_t low = 0;
        std::uint64_t high = std::max<std::uint64_t>(1, start);
        while (high < highest && fits(high)) {
            low = high;
            high *= 2;
        }
        while (high - low > 1) {
            const std::uint64_t middle = low + (high - low) / 2;
            (fits(middle) ? low : high) = middle;
        }
        return low;
    }

private:
    const BatchFamily& family_;
    const Workspaces& workspaces_;
    ReplayOptions all_, most_;
};

}  // namespace

Largest largest_batch(CaptureSource& source, BatchFamily& family, const Workspaces& workspaces,
                      const ReplayOptions& options, std::uint64_t start) {
    const Search search(family, workspaces, options);
    Largest largest;
    for (int round = 0; round < 4; ++round) {
        const std::uint64_t answer = search.answer(start);
        if (answer == 0) return {};
        if (answer >= highest / 2) return {answer, true, {}};
        largest.batch = answer;
        const bool known = std::ranges::any_of(
            family.captures(), [&](const Capture& capture) { return capture.batch == answer; });
        if (known) return largest;
        auto capture = source.capture(answer, "");
        if (!capture) {
            largest.unverified = capture.error().text;
            return largest;
        }
        const auto expected = family.at(answer);
        const bool as_expected =
            expected && same_structure(*expected, *capture) && expected->values == capture->values;
        family.add(std::move(*capture));
        if (as_expected) return largest;
    }
    return largest;
}

}  // namespace holdfast::fit
