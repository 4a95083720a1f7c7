// Any bytes as JSON; what is read must be written and read again as the same value.
#include <cstdint>
#include <cstdlib>

#include "base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto json = holdfast::Json::parse(text);
    if (!json) return 0;
    const auto again = holdfast::Json::parse(json->dump(1));
    if (!again || !(*again == *json)) std::abort();
    return 0;
}
