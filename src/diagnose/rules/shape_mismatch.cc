// HF603: tensors whose shapes or number types do not match, recognised by the frameworks' messages.
#include "diagnose/facts/exceptions.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/exception_text.h"

namespace holdfast::rules {
std::optional<Finding> shape_mismatch(const Autopsy& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, "shape-mismatch"_cause);
    // A file that was cut short fails when it is reshaped as its header says: that is bad-input.
    if (!said || bad_input(death)) return std::nullopt;
    return finding_about(death, "shape-mismatch"_cause, sure_of(death, *said),
                         facts::ShapeMismatch{*said});
}

}  // namespace holdfast::rules
