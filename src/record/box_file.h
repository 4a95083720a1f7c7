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

// Who writes. A pid alone may be somebody else by the time the box is read.
struct BoxOrigin {
    int pid = 0;
    std::uint64_t start_ticks = 0;
    std::string boot_id;  // as /proc/sys/kernel/random/boot_id has it
};

// Without a directory the box lives in memory only, for when no disk will have it. A box whose
// layout its kind fixes lists no sections.
Result<MappedFile> make_box(const RunDirectory* directory, const char* name, format::BoxKind kind,
                            std::size_t size, std::span<const format::Section> sections,
                            const BoxOrigin& origin);

}  // namespace holdfast
