#include "sources/pid_command.h"

#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "base/young_calls.h"
#include "sources/live_file.h"

namespace holdfast::sources {

std::vector<std::string> parse_pid_cmdline(std::string_view text) {
    // A rewritten title is padded with NULs, which are not arguments.
    while (text.ends_with(std::string_view("\0\0", 2))) text.remove_suffix(1);
    std::vector<std::string> arguments;
    while (const auto piece = next_piece(text, '\0')) arguments.emplace_back(*piece);
    if (arguments.size() == 1 && arguments[0].empty()) arguments.clear();
    return arguments;
}

Result<std::vector<std::string>> read_pid_cmdline(int process_dir) {
    const auto file = LiveFile::open(process_dir, "cmdline");
    if (!file) return file.error();
    std::vector<char> buffer(std::size_t{64} << 10U);
    std::size_t have = 0;
    while (have < buffer.size()) {
        const auto got = file->read_from(have, std::span(buffer).subspan(have));
        if (!got) return got.error();
        if (*got == 0) break;
        have += *got;
    }
    return parse_pid_cmdline({buffer.data(), have});
}

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
    // One buffer of fixed size: growing would leave copies of secrets behind. Entries beyond it are
    // not read, and an entry that it cuts is dropped.
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
