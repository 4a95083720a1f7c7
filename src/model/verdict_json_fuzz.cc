// Any bytes must be a verdict or an error, and a verdict must survive being written and read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "model/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto verdict = holdfast::verdict_from_json(text);
    if (!verdict) return verdict.error().text.empty() ? std::abort(), 0 : 0;
    const auto again = holdfast::verdict_from_json(holdfast::to_json(*verdict));
    if (!again) std::abort();
    return 0;
}
