#include "record/cells_box.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace holdfast {
namespace {

using nlohmann::json;

constexpr std::size_t deepest = 16;

// The parser recurses, so nesting is bounded before it sees a byte.
bool is_flat_enough(std::string_view text) {
    std::size_t depth = 0;
    for (const char c : text) {
        if (c == '{' || c == '[') ++depth;
        if ((c == '}' || c == ']') && depth > 0) --depth;
        if (depth > deepest) return false;
    }
    return true;
}

struct Slot {
    bool running = false;
    json facts;
    std::string_view source;
};

// "R {json}\nsource": R runs, E has ended.
std::optional<Slot> read_slot(std::string_view bytes) {
    if (bytes.size() < 3 || (bytes[0] != 'R' && bytes[0] != 'E') || bytes[1] != ' ')
        return std::nullopt;
    const std::size_t line = bytes.find('\n');
    if (line == bytes.npos) return std::nullopt;
    const std::string_view head = bytes.substr(2, line - 2);
    if (!is_flat_enough(head)) return std::nullopt;
    Slot slot;
    slot.running = bytes[0] == 'R';
    slot.facts = json::parse(head, nullptr, false);
    if (!slot.facts.is_object()) return std::nullopt;
    const auto size = slot.facts.find("size");
    if (size != slot.facts.end() && size->is_number_unsigned())
        slot.source = bytes.substr(line + 1, size->get<std::size_t>());
    return slot;
}

std::string text_of(const json& facts, const char* key) {
    const auto found = facts.find(key);
    return found != facts.end() && found->is_string() ? printable(found->get<std::string>())
                                                      : std::string();
}

std::string object_of(const json& facts, const char* key) {
    const auto found = facts.find(key);
    if (found == facts.end() || !found->is_object()) return {};
    return found->dump(-1, ' ', false, json::error_handler_t::replace);
}

bool is_hex(std::string_view text) {
    return text.size() % 2 == 0 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::vector<std::string> ident_of(const json& facts) {
    std::vector<std::string> ident;
    const auto found = facts.find("ident");
    if (found == facts.end() || !found->is_array()) return ident;
    for (const json& frame : *found)
        if (frame.is_string() && is_hex(frame.get_ref<const std::string&>()))
            ident.push_back(frame.get<std::string>());
    return ident;
}

}  // namespace

std::optional<CellsRead> parse_cells(std::string_view bytes) {
    const auto first = read_slot(bytes.substr(0, cell_slot_size));
    if (!first) return std::nullopt;
    CellsRead read;
    if (const auto pid = first->facts.find("pid");
        pid != first->facts.end() && pid->is_number_unsigned())
        read.pid = static_cast<int>(std::min<std::uint64_t>(pid->get<std::uint64_t>(), 1U << 30U));
    read.python = text_of(first->facts, "python");
    read.kernel_info = object_of(first->facts, "info");
    for (std::size_t i = 1; i < cell_slots && i * cell_slot_size < bytes.size(); ++i) {
        const auto slot = read_slot(bytes.substr(i * cell_slot_size, cell_slot_size));
        if (!slot) continue;
        CellRecord& cell = read.cells.emplace_back();
        cell.running = slot->running;
        if (const auto count = slot->facts.find("count");
            count != slot->facts.end() && count->is_number_integer())
            cell.count = count->get<std::int64_t>();
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
