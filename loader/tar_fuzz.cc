// Any bytes as a block of a shard and as a pax header.
#include <cstdint>
#include <cstdlib>

#include "loader/tar.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::loader;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto header = parse_tar_header(text.substr(0, tar_block));
    if (header) {
        const TarKey key = tar_key(header->name);
        if (key.key.size() + key.ending.size() > header->name.size()) std::abort();
    }
    const PaxFields pax = parse_pax(text);
    if (pax.path && pax.path->size() > size) std::abort();
    return 0;
}
