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
    const Frame* without_file = nullptr;
    for (std::size_t i = frames.size(); i-- > 0;) {
        const Frame& frame = frames[i];
        if (!is_own_code(frame.file)) continue;
        // Libraries run made-up source under the names of `python -c` and of a prompt; such a frame
        // is the user's only where no file of theirs is.
        if (frame.file != "<string>" && frame.file != "<stdin>")
            return Where{frame.file, frame.line, frame.function, {}};
        if (without_file == nullptr) without_file = &frame;
    }
    if (without_file == nullptr) return std::nullopt;
    return Where{without_file->file, without_file->line, without_file->function, {}};
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
