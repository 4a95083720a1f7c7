// Any bytes must be evidence or an error, and evidence must survive being written and read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "model/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto evidence = holdfast::evidence_from_json(text);
    if (!evidence) return evidence.error().text.empty() ? std::abort(), 0 : 0;
    const auto again = holdfast::evidence_from_json(holdfast::to_json(*evidence));
    if (!again) std::abort();
    return 0;
}
