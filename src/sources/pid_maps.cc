#include "sources/pid_maps.h"

#include <algorithm>
#include <vector>

#include "sources/live_file.h"

namespace holdfast::sources {

Result<MapCount> count_mappings(int process_dir, std::size_t limit) {
    const auto file = LiveFile::open(process_dir, "maps");
    if (!file) return file.error();
    std::vector<char> buffer(std::size_t{64} << 10U);
    MapCount count;
    for (std::size_t offset = 0; offset < limit;) {
        const auto got = file->read_from(offset, buffer);
        if (!got) return got.error();
        if (*got == 0) return count;
        count.mappings += static_cast<std::uint64_t>(
            std::count(buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*got), '\n'));
        offset += *got;
    }
    count.complete = false;
    return count;
}

}  // namespace holdfast::sources
