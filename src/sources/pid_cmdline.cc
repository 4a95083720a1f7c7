#include "sources/pid_cmdline.h"

#include "base/text.h"
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

}  // namespace holdfast::sources
