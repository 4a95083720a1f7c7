#include "diagnose/own_code.h"

#include <cctype>

#include "diagnose/last_text.h"
#include "diagnose/python_dump.h"

namespace holdfast {
namespace {

// ".../lib/python3.11/json/decoder.py", also lib64 and the zipped library.
bool in_standard_library(std::string_view file) {
    static constexpr std::string_view mark = "/python3";
    for (std::size_t at = file.find(mark); at != std::string_view::npos;
         at = file.find(mark, at + 1)) {
        const std::string_view before = file.substr(0, at);
        const bool in_lib = before.ends_with("/lib") || before.ends_with("/lib64") ||
                            before == "lib" || before == "lib64";
        if (in_lib) return true;
    }
    return false;
}

}  // namespace

bool is_own_code(std::string_view file) {
    if (file.empty()) return false;
    // "<frozen importlib._bootstrap>" and "<string>" alike; but a notebook cell is the user's.
    if (file.front() == '<')
        return file.starts_with("<ipython-input") || file == "<stdin>" || file == "<string>";
    for (const std::string_view installed : {"site-packages/", "dist-packages/"})
        if (file.find(installed) != std::string_view::npos) return false;
    return !in_standard_library(file);
}

std::optional<Where> innermost_own(const std::vector<Frame>& frames) {
    for (std::size_t i = frames.size(); i-- > 0;)
        if (is_own_code(frames[i].file))
            return Where{frames[i].file, frames[i].line, frames[i].function, {}};
    return std::nullopt;
}

std::optional<Where> where_it_died(const Death& death) {
    if (const TracebackText* traceback = final_exception(death))
        return innermost_own(traceback->frames);
    if (!death.decides || !death.exit.signal) return std::nullopt;
    if (const std::optional<PythonDump> dump = python_dump_at_end(death.all.stderr_tail))
        return innermost_own(dump->frames);
    return std::nullopt;
}

}  // namespace holdfast
