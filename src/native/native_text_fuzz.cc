// A native stack as text may be anybody's: reading it ends with plain values that write and read
// back the same.
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
