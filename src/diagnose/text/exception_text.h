// The exception that ended a program, held against the words libraries use: a table for each family
// of causes, one row for each way of saying it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "diagnose/death/death.h"
#include "diagnose/finding.h"

namespace holdfast {

struct ExceptionWords {
    std::string_view type;   // how the exception's type ends, "" for any
    std::string_view text;   // stands in the message
    std::string_view also;   // stands behind it
    std::string_view below;  // a function that is running: "load_model", "" for any
    // Words that only this cause has; others may be used for other things as well.
    Confidence confidence = Confidence::certain;
};

struct ExceptionSaid {
    const ExceptionWords* words = nullptr;
    std::size_t row = 0;  // in the table
    std::string type;
    std::string message;
    std::string source;
    // The line of the message that has the words, to quote.
    std::string line() const;
};

// The first row that fits the exception nobody caught, where it decided the exit status.
std::optional<ExceptionSaid> exception_said(const Death& death,
                                            std::span<const ExceptionWords> table);

// As sure as the words are, and the exit status.
Confidence sure_of(const Death& death, const ExceptionSaid& said);

// Whether this framework is in use: "torch", "keras", "tensorflow", "lightning".
bool uses(const Death& death, std::string_view framework);

// The first whole number in `text` behind `mark`, with its sign.
std::optional<long> number_after(std::string_view text, std::string_view mark);

// What stands between the first two quotes, '...' or "...".
std::string quoted(std::string_view text);

}  // namespace holdfast
