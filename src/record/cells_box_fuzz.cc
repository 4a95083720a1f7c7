// Any bytes as cells.box; whatever is read has to be fit for JSON and bounded by the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.h"
#include "record/cells_box.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto read =
        holdfast::parse_cells(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!read) return 0;
    if (read->cells.size() >= holdfast::cell_slots || read->pid < 0) std::abort();
    for (const holdfast::CellRecord& cell : read->cells) {
        if (cell.source.size() > 3 * holdfast::cell_slot_size) std::abort();
        if (holdfast::printable(cell.file) != cell.file) std::abort();
    }
    return 0;
}
