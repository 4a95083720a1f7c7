// cells.box: the last cells of a notebook kernel and the requests that they answer. A hook inside
// the kernel writes it (agent/hooks/cells.py); a reader that trusts none of it reads it.
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
// The first letter of a slot: its cell runs, or has ended.
inline constexpr char cell_running = 'R';
inline constexpr char cell_ended = 'E';

struct CellRecord {
    bool running = false;
    std::int64_t count = 0;  // its number: In [3]
    std::string file;        // the file name in its code objects
    std::string source;      // as typed; a very long one is cut
    std::string request;     // header of the execute_request, a JSON object; empty when not known
    std::vector<std::string> ident;  // whom to answer: routing frames, in hexadecimal
};

struct CellsRead {
    int pid = 0;              // of the kernel
    std::string python;       // the kernel's interpreter
    std::string kernel_info;  // content of a kernel_info_reply, a JSON object; empty when not known
    std::vector<CellRecord> cells;  // sorted by number
};

// Nothing if no kernel wrote here. Leaves out what makes no sense.
std::optional<CellsRead> parse_cells(std::string_view bytes);

std::optional<CellsRead> read_cells(const RunDirectory& directory);

}  // namespace holdfast
