#include "evidence/source_line.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>

#include "base/read_file.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "evidence/clean_text.h"

namespace holdfast {
namespace {
constexpr std::size_t longest_line = 200;
}

Result<std::string> read_source(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return Error::from_errno("cannot open " + path);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return Error::from_errno("cannot stat " + path);
    if (!S_ISREG(info.st_mode)) return Error{path + " is not a regular file"};
    if (info.st_size > static_cast<off_t>(source_size_limit))
        return Error{path + " is larger than a source file", EFBIG};
    return read_tail(fd.get(), source_size_limit);
}

std::string source_line(const SourceReader& read, const std::string& path, int line) {
    if (!read || line < 1 || path.empty()) return {};
    const auto text = read(path);
    if (!text) return {};
    std::string_view rest = *text;
    for (int i = 1; i < line; ++i)
        if (!next_line(rest)) return {};
    const auto found = next_line(rest);
    // A longer line is data, not code: do not clean a whole megabyte of it.
    return found ? clean(trim(found->substr(0, 4 * longest_line)), longest_line) : std::string();
}

namespace {

bool is_part_of_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The part of a name that is sure to be in the source: for "self.log["loss"]" the last attribute,
// without its key.
std::string_view last_word(std::string_view name) {
    name = name.substr(0, name.find('['));
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos)
        name.remove_prefix(dot + 1);
    return name;
}

// Past one pair of square brackets, if there is one.
std::string_view behind_key(std::string_view rest) {
    if (!rest.starts_with('[')) return rest;
    const std::size_t end = rest.find(']');
    return end == std::string_view::npos ? rest : rest.substr(end + 1);
}

bool fills(std::string_view rest) {
    const bool keyed = rest.starts_with('[');
    rest = trim(behind_key(rest));
    for (const std::string_view call : {".append(", ".extend(", ".add(", ".insert(", ".update(",
                                        ".setdefault(", ".appendleft(", ".put(", "+="})
        if (rest.starts_with(call)) return true;
    return keyed && rest.starts_with('=') && !rest.starts_with("==");
}

bool puts_into(std::string_view line, std::string_view word) {
    line = line.substr(0, line.find('#'));
    for (std::size_t at = 0; (at = line.find(word, at)) != std::string_view::npos; ++at) {
        const std::string_view rest = line.substr(at + word.size());
        if (at > 0 && is_part_of_name(line[at - 1])) continue;
        if (!rest.empty() && is_part_of_name(rest.front())) continue;
        if (fills(rest)) return true;
        // frames = concat([frames, more])
        if (trim(rest).starts_with("=") && !trim(rest).starts_with("==") &&
            rest.find(word) != std::string_view::npos)
            return true;
    }
    return false;
}

}  // namespace

std::optional<int> filling_line(std::string_view source, std::string_view name) {
    const std::string_view word = last_word(name);
    if (word.empty()) return std::nullopt;
    std::optional<int> found;
    int number = 0;
    while (const auto line = next_line(source)) {
        ++number;
        if (!puts_into(*line, word)) continue;
        if (found) return std::nullopt;
        found = number;
    }
    return found;
}

}  // namespace holdfast
