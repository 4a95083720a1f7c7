// Creates a box: reserves its file, maps it, and writes the header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/mapped_file.h"
#include "base/result.h"
#include "record/format.h"
#include "record/run_directory.h"

namespace holdfast {

// The writer. Its pid may belong to another process by the time the box is read.
struct BoxOrigin {
    int pid = 0;
    std::uint64_t start_ticks = 0;
    std::string boot_id;  // as in /proc/sys/kernel/random/boot_id
};

// Without a directory the box is only in memory, for when no disk can be written. Sections are not
// listed if the kind of box fixes its layout.
Result<MappedFile> make_box(const RunDirectory* directory, const char* name, format::BoxKind kind,
                            std::size_t size, std::span<const format::Section> sections,
                            const BoxOrigin& origin);

}  // namespace holdfast
