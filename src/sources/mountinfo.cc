#include "sources/mountinfo.h"

#include <optional>

#include "base/read_file.h"
#include "base/text.h"

namespace holdfast::sources {
namespace {

bool octal(char c) { return c >= '0' && c <= '7'; }

// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue"
std::optional<Mount> parse_line(std::string_view line) {
    const auto id = next_piece(line, ' ');
    const auto parent = next_piece(line, ' ');
    const auto device = next_piece(line, ' ');
    const auto root = next_piece(line, ' ');
    const auto point = next_piece(line, ' ');
    const auto options = next_piece(line, ' ');
    const auto number = id ? parse_number<int>(*id) : std::nullopt;
    if (!number || !parent || !device || !root || !point || !options) return std::nullopt;
    // Any number of optional fields, ended by "-".
    for (;;) {
        const auto field = next_piece(line, ' ');
        if (!field) return std::nullopt;
        if (*field == "-") break;
    }
    const auto type = next_piece(line, ' ');
    if (!type || type->empty()) return std::nullopt;
    // The source may be empty: then there are two blanks.
    const auto source = next_piece(line, ' ');
    return Mount{*number,
                 unescape_octal(*root),
                 unescape_octal(*point),
                 unescape_octal(*type),
                 unescape_octal(source.value_or("")),
                 unescape_octal(line)};
}

}  // namespace

std::string unescape_octal(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size() && text[i + 1] <= '3' && octal(text[i + 1]) &&
            octal(text[i + 2]) && octal(text[i + 3])) {
            plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                       (text[i + 3] - '0'));
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

bool Mount::has_super_option(std::string_view option) const {
    std::string_view rest = super_options;
    while (const auto piece = next_piece(rest, ','))
        if (*piece == option) return true;
    return false;
}

std::vector<Mount> parse_mountinfo(std::string_view text) {
    std::vector<Mount> mounts;
    while (const auto line = next_line(text))
        if (auto mount = parse_line(*line)) mounts.push_back(std::move(*mount));
    return mounts;
}

Result<std::vector<Mount>> read_mountinfo(int process_dir) {
    const auto text = read_file_at(process_dir, "mountinfo");
    if (!text) return text.error();
    return parse_mountinfo(*text);
}

}  // namespace holdfast::sources
