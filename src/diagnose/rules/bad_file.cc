// HF604 and HF605: a file of the data set, or a checkpoint, that its reader cannot read.

#include "diagnose/facts/exceptions.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/exception_text.h"

namespace holdfast::rules {
namespace {

// torch refuses to run code from a file: such a file is not damaged, and the message names the
// code. For a damaged file the message says that some byte is not an instruction.
bool only_refused(const ExceptionSaid& said) {
    return said.message.find("Weights only load failed") != std::string::npos &&
           said.message.find("invalid load key") == std::string::npos &&
           said.message.find("Unsupported operand") == std::string::npos;
}

// An array or a table, not a model.
bool of_data(const Autopsy& death, const ExceptionSaid& said) {
    return said.message.find("Failed to interpret file") != std::string::npos ||
           runs_below(death, "read_pickle");
}

// The system refused to read or write, and says why.
bool system_refused(const ExceptionSaid& said) {
    return said.message.find("(os error ") != std::string::npos;
}

}  // namespace

std::optional<Finding> bad_input(const Autopsy& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, "bad-input"_cause);
    if (!said) return std::nullopt;
    if (const auto model = exception_said(death, "checkpoint-corrupt"_cause);
        model && !only_refused(*model) && !of_data(death, *model))
        return std::nullopt;
    return finding_about(death, "bad-input"_cause, sure_of(death, *said), facts::BadInput{*said});
}

std::optional<Finding> checkpoint_corrupt(const Autopsy& death) {
    const std::optional<ExceptionSaid> said = exception_said(death, "checkpoint-corrupt"_cause);
    if (!said || only_refused(*said) || system_refused(*said) || of_data(death, *said))
        return std::nullopt;
    return finding_about(death, "checkpoint-corrupt"_cause, sure_of(death, *said),
                         facts::CheckpointCorrupt{*said});
}

}  // namespace holdfast::rules
