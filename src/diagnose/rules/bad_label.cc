// HF602: a class label or an index outside the range that the model allows.
#include <array>

#include "diagnose/facts/exceptions.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/exception_text.h"

namespace holdfast::rules {
namespace {

using enum Confidence;

// An IndexError of a list, an array or a tensor that the user indexes is not here: it says the same
// words as these, of another type, and is an ordinary mistake.
constexpr std::array label_texts{
    ExceptionWords{"IndexError", "Target ", "is out of bounds", "", certain},
    ExceptionWords{"InvalidArgumentError", "Received a label value of", "outside the valid range",
                   "", certain},
    ExceptionWords{"InvalidArgumentError", "indices[", "is not in [", "", certain},
    ExceptionWords{"RuntimeError", "is out of bounds for dimension", "with size", "", certain},
    ExceptionWords{"RuntimeError", "Class values must be ", "", "", certain},
    ExceptionWords{"RuntimeError", "of input takes value", "not in the valid range", "", certain},
    ExceptionWords{"ValueError", "contains previously unseen labels", "", "", certain},
    ExceptionWords{"ValueError", "Invalid classes inferred from unique values of `y`", "", "",
                   certain},
    ExceptionWords{"IndexError", "index out of range in self", "", "", likely},
    ExceptionWords{"RuntimeError", "all elements of target should be between 0 and 1", "", "",
                   likely},
    ExceptionWords{"RuntimeError", "all elements of input should be between 0 and 1", "", "",
                   likely},
    ExceptionWords{"RuntimeError", "Assertion `cur_target >= 0 && cur_target < n_classes' failed",
                   "", "", certain},
};

struct Range {
    std::optional<long> index;
    std::optional<long> size;  // what is allowed is 0 to size - 1
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
    const std::optional<ExceptionSaid> said = exception_said(death, label_texts);
    if (!said) return std::nullopt;
    const Range range = range_in(said->message);
    return finding_about(death, "bad-label"_cause, sure_of(death, *said),
                         facts::BadLabel{*said, range.index, range.size});
}

}  // namespace holdfast::rules
