// What is read from a stall's text must be the same after it is written and read again.
#include <cstdlib>
#include <string_view>

#include "record/stall_text.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto threads = holdfast::parse_stall_text(text);
    const std::string again = holdfast::stall_text(threads, 1U << 22U);
    const auto twice = holdfast::parse_stall_text(again);
    if (holdfast::stall_text(twice, 1U << 22U) != again) std::abort();
    return 0;
}
