// What exceptions say in the words of libraries, by the cause they tell: exceptions.txt.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/confidence.h"

namespace holdfast {

struct ExceptionWords {
    std::string type;   // how the exception's type ends, "" for any
    std::string text;   // stands in the message
    std::string also;   // stands behind it
    std::string below;  // a function that is running: "load_model", "" for any
    // Words that only this cause has; others may be used for other things as well.
    Confidence confidence = Confidence::certain;
};

// The rows of one cause ("bad-label"), in their order; none for a cause that has no section.
std::span<const ExceptionWords> exception_words(std::string_view cause);

}  // namespace holdfast
