#include "evidence/source_line.h"

#include <fcntl.h>
#include <sys/stat.h>

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
    // Longer lines are data, not code; cleaning a whole megabyte of it would help nobody.
    return found ? clean(trim(found->substr(0, 4 * longest_line)), longest_line) : std::string();
}

}  // namespace holdfast
