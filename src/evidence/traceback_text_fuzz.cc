// stderr is whatever a program likes to write.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "evidence/traceback_text.h"
#include "model/own_code.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto traceback = holdfast::last_traceback(text);
    if (!traceback) return 0;
    if (traceback->type.empty() || traceback->frames.size() > 128) std::abort();
    const holdfast::Frame* frame = holdfast::innermost_own_frame(traceback->frames);
    if (frame != nullptr && frame->file.empty()) std::abort();
    return 0;
}
