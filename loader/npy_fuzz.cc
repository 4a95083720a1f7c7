// Any bytes as the front of a .npy file; what is accepted must be consistent.
#include <cstdint>
#include <cstdlib>

#include "loader/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto npy = holdfast::loader::parse_npy({reinterpret_cast<const char*>(data), size});
    if (!npy) return 0;
    if (npy->data_offset > size || npy->item_bytes == 0) std::abort();
    std::uint64_t all = npy->item_bytes;
    for (const std::uint64_t n : npy->shape)
        if (n != 0 && __builtin_mul_overflow(all, n, &all)) std::abort();
    return 0;
}
