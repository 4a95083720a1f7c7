// The exception that ended a program, compared with the known messages of libraries.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "diagnose/death/death.h"
#include "diagnose/finding.h"
#include "knowledge/exceptions.h"

namespace holdfast {

struct ExceptionSaid {
    const ExceptionWords* words = nullptr;
    std::string type;
    std::string message;
    std::string source;
    // The line of the message that has the words, to quote.
    std::string line() const;
};

// The first row of this cause in knowledge/exceptions.txt that fits the uncaught exception, if that
// exception decided the exit status.
std::optional<ExceptionSaid> exception_said(const Death& death, CauseId cause);

// The same for an exception that the agent of some process recorded; null if no row fits.
const ExceptionWords* words_of(const ExceptionEvidence& thrown, CauseId cause);

// Whether a function of this name was running when the exception was raised.
bool runs_below(const Death& death, std::string_view function);

// As sure as the table's row and the exit status allow.
Confidence sure_of(const Death& death, const ExceptionSaid& said);

// Whether this framework is in use: "torch", "keras", "tensorflow", "lightning".
bool uses(const Death& death, std::string_view framework);

// The first whole number in `text` behind `mark`, with its sign.
std::optional<long> number_after(std::string_view text, std::string_view mark);

// The text between the first two quotes, '...' or "...".
std::string quoted(std::string_view text);

}  // namespace holdfast
