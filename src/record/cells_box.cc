#include "record/cells_box.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace holdfast {
namespace {

constexpr int deepest = 16;

struct Slot {
    bool running = false;
    Json facts;
    std::string_view source;
};

// "R {json}\nsource"
std::optional<Slot> read_slot(std::string_view bytes) {
    if (bytes.size() < 3 || bytes[1] != ' ') return std::nullopt;
    if (bytes[0] != cell_running && bytes[0] != cell_ended) return std::nullopt;
    const std::size_t line = bytes.find('\n');
    if (line == bytes.npos) return std::nullopt;
    const std::string_view head = bytes.substr(2, line - 2);
    auto facts = Json::parse(head, deepest);
    if (!facts || !facts->is_object()) return std::nullopt;
    Slot slot;
    slot.running = bytes[0] == cell_running;
    slot.facts = std::move(*facts);
    if (const auto size = slot.facts["size"].natural())
        slot.source = bytes.substr(line + 1, static_cast<std::size_t>(*size));
    return slot;
}

std::string text_of(const Json& facts, const char* key) {
    const std::string* text = facts[key].text();
    return text != nullptr ? printable(*text) : std::string();
}

std::string object_of(const Json& facts, const char* key) {
    return facts[key].is_object() ? facts[key].dump() : std::string();
}

bool is_hex(std::string_view text) {
    return text.size() % 2 == 0 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::vector<std::string> ident_of(const Json& facts) {
    std::vector<std::string> ident;
    for (const Json& frame : facts["ident"].items())
        if (frame.is_string() && is_hex(*frame.text())) ident.push_back(*frame.text());
    return ident;
}

}  // namespace

std::optional<CellsRead> parse_cells(std::string_view bytes) {
    const auto first = read_slot(bytes.substr(0, cell_slot_size));
    if (!first) return std::nullopt;
    CellsRead read;
    if (const auto pid = first->facts["pid"].natural())
        read.pid = static_cast<int>(std::min<std::uint64_t>(*pid, 1U << 30U));
    read.python = text_of(first->facts, "python");
    read.kernel_info = object_of(first->facts, "info");
    for (std::size_t i = 1; i < cell_slots && i * cell_slot_size < bytes.size(); ++i) {
        const auto slot = read_slot(bytes.substr(i * cell_slot_size, cell_slot_size));
        if (!slot) continue;
        CellRecord& cell = read.cells.emplace_back();
        cell.running = slot->running;
        if (const auto count = slot->facts["count"].integer()) cell.count = *count;
        cell.file = text_of(slot->facts, "file");
        cell.source = printable(slot->source);
        cell.request = object_of(slot->facts, "request");
        cell.ident = ident_of(slot->facts);
    }
    std::stable_sort(read.cells.begin(), read.cells.end(),
                     [](const CellRecord& a, const CellRecord& b) { return a.count < b.count; });
    return read;
}

std::optional<CellsRead> read_cells(const RunDirectory& directory) {
    const auto bytes = directory.read_file(run_file::cells, cell_slots * cell_slot_size);
    return bytes ? parse_cells(*bytes) : std::nullopt;
}

}  // namespace holdfast
