// When a filesystem counts as full: less than 1 MiB, less than a thousandth, or no inode is left.
#pragma once

#include <cstdint>
#include <optional>

#include "base/bytes.h"

namespace holdfast {

inline bool no_room(Bytes free, std::optional<Bytes> size,
                    std::optional<std::uint64_t> inodes_free) {
    return inodes_free == 0U || free < Bytes::mib(1) || (size && free.share_of(*size) < 0.001);
}

}  // namespace holdfast
