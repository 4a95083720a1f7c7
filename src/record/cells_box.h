// cells.box: the last cells of a notebook kernel and the requests they answer, written by a hook
// inside it (agent/hooks/cells.py), read by a reader that trusts none of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/run_directory.h"

namespace holdfast {

inline constexpr std::size_t cell_slot_size = 16U << 10U;
inline constexpr std::size_t cell_slots = 64;

struct CellRecord {
    bool running = false;
    std::int64_t count = 0;  // the number in front of it: In [3]
    std::string file;        // as its code objects name it
    std::string source;      // as it was typed; cut where it is very long
    std::string request;     // header of the execute_request, a JSON object; empty when not known
    std::vector<std::string> ident;  // whom to answer: routing frames, in hexadecimal
};

struct CellsRead {
    int pid = 0;              // of the kernel
    std::string python;       // its interpreter
    std::string kernel_info;  // content of a kernel_info_reply, a JSON object; empty when not known
    std::vector<CellRecord> cells;  // by their numbers
};

// Nothing: no kernel wrote here. What does not make sense is left out.
std::optional<CellsRead> parse_cells(std::string_view bytes);

std::optional<CellsRead> read_cells(const RunDirectory& directory);

}  // namespace holdfast
