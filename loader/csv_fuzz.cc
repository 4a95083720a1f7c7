// Any bytes as lines of a CSV file: read in pieces or as a whole, the lines are the same.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "loader/csv.h"
#include "loader/line_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::loader;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::vector<std::size_t> ends;
    bool in_quotes = false;
    for (std::size_t from = 0; from < size;) {
        const std::size_t end = line_end(text, from, true, in_quotes);
        if (end == std::string_view::npos) break;
        if (end < from || end >= size || text[end] != '\n') std::abort();
        ends.push_back(end);
        std::size_t cells = 0;
        CsvLine line(text.substr(from, end - from), ',');
        while (const auto cell = line.next()) {
            static_cast<void>(csv_number(*cell));
            if (++cells > size + 1) std::abort();
        }
        // The fast and the general way to read a number agree.
        CsvLine plain(text.substr(from, end - from), ',');
        CsvLine again(text.substr(from, end - from), ',');
        while (const auto cell = again.next()) {
            const auto value = plain.plain_number();
            if (value ? csv_number(*cell) != value : plain.next() != cell) std::abort();
        }
        from = end + 1;
    }
    // In pieces of 7 bytes.
    std::size_t number = 0;
    in_quotes = false;
    for (std::size_t at = 0; at < size; at += 7) {
        const std::string_view piece = text.substr(at, 7);
        for (std::size_t from = 0; from <= piece.size();) {
            const std::size_t end = line_end(piece, from, true, in_quotes);
            if (end == std::string_view::npos) break;
            if (number >= ends.size() || ends[number] != at + end) std::abort();
            ++number;
            from = end + 1;
        }
    }
    if (number != ends.size()) std::abort();
    return 0;
}
