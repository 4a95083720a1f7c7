// The text of a native stack may come from anybody: reading it must give plain values that survive
// being written and read.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "native/native_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast;
    const NativeStack first = parse_native_text({reinterpret_cast<const char*>(data), size});
    const std::string text = native_text(first, 1U << 20U);
    if (native_text(parse_native_text(text), 1U << 20U) != text) std::abort();
    return 0;
}
