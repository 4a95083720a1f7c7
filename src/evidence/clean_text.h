// Makes text from a program or a record safe to print on a terminal, to write as JSON, and to show
// to strangers (masks secrets).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/text.h"
#include "record/mask.h"

namespace holdfast {

// Printable, secrets masked, at most `limit` bytes.
inline std::string clean(std::string_view text, std::size_t limit) {
    return std::string(cut(mask_text(printable(text)), limit));
}

}  // namespace holdfast
