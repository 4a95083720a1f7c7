// How much space a filesystem has, and its type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace holdfast::sources {

struct FilesystemSpace {
    std::string type;  // "ext4", "tmpfs", "overlay"; "0x..." if the name is unknown
    std::uint64_t magic = 0;
    std::uint64_t id = 0;  // equal for two paths on the same filesystem, where it has one
    Bytes size;
    Bytes free;                                        // for ordinary users, without root's reserve
    std::optional<std::uint64_t> inodes, inodes_free;  // absent if inodes are created as needed
};

// Blocks for ever if a network filesystem is dead.
Result<FilesystemSpace> read_filesystem_space(const std::string& path);

std::string filesystem_name(std::uint64_t magic);

}  // namespace holdfast::sources
