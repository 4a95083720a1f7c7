// A native stack as the text that lies in a crash record (format::Crash::native):
//
//     address \t library \t symbol \t offset \t file:line \n      one frame, innermost first
//     - \t \t ... (12000 more frames of these 3) \t 0 \t \n       frames left out
//     ! \t why something is missing \n                            any number, anywhere
//
// Addresses and offsets are hexadecimal without 0x; what is unknown is empty. A tab, newline or
// control character in a name is written as '?'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.h"

namespace holdfast {

struct NativeStack {
    std::vector<NativeFrame> frames;                      // innermost first
    std::vector<std::optional<std::uint64_t>> addresses;  // none for a frame that stands for others
    std::vector<std::string> missing;
};

// Writes only whole lines that fit, and cuts long symbols: a template library's may have thousands
// of characters.
std::string native_text(const NativeStack& stack, std::size_t limit);
NativeStack parse_native_text(std::string_view text);

}  // namespace holdfast
