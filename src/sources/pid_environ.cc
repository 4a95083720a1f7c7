#include "sources/pid_environ.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "base/young_calls.h"
#include "sources/live_file.h"

namespace holdfast::sources {

std::vector<EnvironValue> parse_pid_environ(std::string_view text,
                                            std::span<const std::string_view> allowed) {
    std::vector<EnvironValue> values;
    while (const auto entry = next_piece(text, '\0')) {
        const std::size_t equals = entry->find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view name = entry->substr(0, equals);
        if (std::find(allowed.begin(), allowed.end(), name) == allowed.end()) continue;
        const bool seen = std::any_of(values.begin(), values.end(), [&](const EnvironValue& value) {
            return value.name == name;
        });
        if (!seen) values.push_back({std::string(name), std::string(entry->substr(equals + 1))});
    }
    return values;
}

Result<std::vector<EnvironValue>> read_pid_environ(int process_dir,
                                                   std::span<const std::string_view> allowed) {
    const auto file = LiveFile::open(process_dir, "environ");
    if (!file) return file.error();
    // One buffer that never grows, because growing would leave copies of it behind. Entries beyond
    // it are not read, and an entry that it cuts is dropped.
    std::vector<char> buffer(std::size_t{256} << 10U);
    std::size_t have = 0;
    int failure = 0;
    while (have < buffer.size()) {
        const auto piece = file->read_from(have, std::span(buffer).subspan(have));
        if (!piece) failure = piece.error().number;
        if (!piece || *piece == 0) break;
        have += *piece;
    }
    std::string_view text(buffer.data(), have);
    if (have == buffer.size()) text = text.substr(0, text.rfind('\0') + 1);
    auto values = parse_pid_environ(text, allowed);
    wipe(buffer.data(), buffer.size());
    if (have == 0 && failure != 0) return Error{"cannot read environ", failure};
    return values;
}

}  // namespace holdfast::sources
