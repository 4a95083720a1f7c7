// Any bytes as run.json; what is accepted must survive being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "record/run_facts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto facts = holdfast::run_facts_from_json(text);
    if (!facts) return 0;
    const std::string written = holdfast::to_json(*facts);
    if (written.size() > holdfast::run_facts_limit) std::abort();
    if (!holdfast::run_facts_from_json(written)) std::abort();
    return 0;
}
