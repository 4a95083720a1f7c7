// The loader's cache, and the search for lists of GPU code.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check/loader_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    (void)holdfast::check::parse_loader_cache(bytes);
    (void)holdfast::check::find_gpu_code(bytes);
    return 0;
}
