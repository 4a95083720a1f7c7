// Which frame of a traceback is the user's own.
#include <string>
#include <string_view>

#include "evidence/traceback_text.h"

namespace holdfast {
namespace {

bool in_standard_library(std::string_view file) {
    for (const std::string_view lib : {"/lib/python", "/lib64/python"}) {
        const std::size_t at = file.find(lib);
        if (at == std::string_view::npos) continue;
        const std::string_view rest = file.substr(at + lib.size());
        if (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') return true;
    }
    return false;
}

bool of_others(std::string_view file) {
    return file.find("/site-packages/") != std::string_view::npos ||
           file.find("/dist-packages/") != std::string_view::npos || in_standard_library(file);
}

}  // namespace

const Frame* innermost_user_frame(const TracebackText& traceback) {
    const Frame* without_file = nullptr;
    for (auto frame = traceback.frames.rbegin(); frame != traceback.frames.rend(); ++frame) {
        const std::string& file = frame->file;
        if (file == "<string>" || file == "<stdin>") {
            if (without_file == nullptr) without_file = &*frame;
            continue;
        }
        // A notebook cell is the user's; any other <name> was made up by a library.
        const bool made_up = file.starts_with('<') && !file.starts_with("<ipython-input");
        if (!made_up && !of_others(file)) return &*frame;
    }
    return without_file;
}

}  // namespace holdfast
