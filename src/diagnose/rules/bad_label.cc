// HF602: a class label or an index outside the range that the model allows.

#include "diagnose/facts/exceptions.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/exception_text.h"

namespace holdfast::rules {
namespace {

struct Range {
    std::optional<long> index;
    std::optional<long> size;  // the allowed values are 0 to size - 1
};

Range range_in(std::string_view message) {
    Range range;
    for (const std::string_view mark : {"Target ", "label value of ", "] = ", "index "})
        if (message.find(mark) != std::string_view::npos) {
            range.index = number_after(message, mark);
            break;
        }
    for (const std::string_view mark : {"valid range of [0,", "is not in [0,", "with size "})
        if (!range.size) range.size = number_after(message, mark);
    return range;
}

}  // namespace

std::optional<Finding> bad_label(const Autopsy& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, "bad-label"_cause);
    if (!said) return std::nullopt;
    const Range range = range_in(said->message);
    return finding_about(death, "bad-label"_cause, sure_of(death, *said),
                         facts::BadLabel{*said, range.index, range.size});
}

}  // namespace holdfast::rules
