#include "native/native_text.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace holdfast {
namespace {

constexpr std::size_t longest_symbol = 240;
constexpr std::size_t longest_path = 160;
constexpr std::size_t most_lines = 256;

std::string one_line(std::string_view text, std::size_t limit) {
    std::string line = printable(text);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\t' || c == '\n'; }, '?');
    if (line.size() > limit) line = std::string(cut(line, limit - 3)) + "...";
    return line;
}

// Keeps the end of a path, which says more than its beginning.
std::string path_line(const std::string& path) {
    if (path.size() <= longest_path) return one_line(path, longest_path);
    std::size_t from = path.size() - longest_path;
    while (from < path.size() && (static_cast<unsigned char>(path[from]) & 0xc0U) == 0x80U) ++from;
    return one_line(std::string_view(path).substr(from), longest_path);
}

std::string frame_line(const NativeFrame& frame, std::optional<std::uint64_t> address) {
    const std::string place =
        frame.line ? formatted("{}:{}", path_line(frame.file), *frame.line) : std::string();
    const std::string where = address ? formatted("{:x}", *address) : "-";
    return formatted("{}\t{}\t{}\t{:x}\t{}\n", where, one_line(frame.library, longest_path),
                     one_line(frame.symbol, longest_symbol), frame.offset, place);
}

void parse_place(std::string_view text, NativeFrame& frame) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return;
    const auto line = parse_number<int>(text.substr(colon + 1));
    if (!line || *line <= 0) return;
    frame.file = printable(text.substr(0, colon));
    frame.line = line;
}

}  // namespace

std::string native_text(const NativeStack& stack, std::size_t limit) {
    std::string text;
    const auto add = [&](const std::string& line) {
        if (text.size() + line.size() <= limit) text += line;
    };
    for (const std::string& note : stack.missing)
        add("!\t" + one_line(note, longest_symbol) + "\n");
    for (std::size_t i = 0; i < stack.frames.size(); ++i)
        add(frame_line(stack.frames[i],
                       i < stack.addresses.size() ? stack.addresses[i] : std::nullopt));
    return text;
}

NativeStack parse_native_text(std::string_view text) {
    NativeStack stack;
    std::size_t lines = 0;
    while (const auto line = next_line(text)) {
        if (++lines > most_lines) break;
        std::string_view rest = *line;
        const auto first = next_piece(rest, '\t');
        if (!first) continue;
        if (*first == "!") {
            stack.missing.push_back(printable(rest));
            continue;
        }
        const auto address = parse_number<std::uint64_t>(*first, 16);
        const auto library = next_piece(rest, '\t');
        const auto symbol = next_piece(rest, '\t');
        const auto offset = next_piece(rest, '\t');
        const auto within = offset ? parse_number<std::uint64_t>(*offset, 16) : std::nullopt;
        if ((!address && *first != "-") || !library || !symbol || !within) continue;
        NativeFrame& frame = stack.frames.emplace_back();
        frame.library = printable(*library);
        frame.symbol = printable(*symbol);
        frame.offset = *within;
        parse_place(rest, frame);
        stack.addresses.push_back(address);
    }
    return stack;
}

}  // namespace holdfast
