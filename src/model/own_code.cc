#include "model/own_code.h"

namespace holdfast {
namespace {

// ".../lib/python3.11/json/decoder.py", also lib64 and the zipped library.
bool in_standard_library(std::string_view file) {
    static constexpr std::string_view mark = "/python3";
    for (std::size_t at = file.find(mark); at != std::string_view::npos;
         at = file.find(mark, at + 1)) {
        const std::string_view before = file.substr(0, at);
        if (before.ends_with("/lib") || before.ends_with("/lib64") || before == "lib" ||
            before == "lib64")
            return true;
    }
    return false;
}

}  // namespace

bool is_own_code(std::string_view file) {
    if (file.empty()) return false;
    // "<frozen importlib._bootstrap>" and "<string>" alike; but a notebook cell is the user's.
    if (file.front() == '<')
        return file.starts_with("<ipython-input") || file == "<timed exec>" || file == "<stdin>" ||
               file == "<string>";
    // Cython and C++ put frames of their own into tracebacks, under relative names.
    for (const std::string_view compiled : {".pyx", ".pxi", ".pxd", ".cc", ".cpp", ".c"})
        if (file.ends_with(compiled) && file.front() != '/') return false;
    // Files that TensorFlow writes to a temporary folder and runs in place of the code it compiles.
    for (const std::string_view installed :
         {"site-packages/", "dist-packages/", "/__autograph_generated_file"})
        if (file.find(installed) != std::string_view::npos) return false;
    return !in_standard_library(file);
}

const Frame* innermost_own_frame(const std::vector<Frame>& frames) {
    const Frame* without_file = nullptr;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
        if (!is_own_code(frame->file)) continue;
        // Libraries run made-up source under the names of `python -c` and of a prompt; such a frame
        // is the user's only where no file of theirs is.
        if (frame->file != "<string>" && frame->file != "<stdin>") return &*frame;
        if (without_file == nullptr) without_file = &*frame;
    }
    return without_file;
}

}  // namespace holdfast
