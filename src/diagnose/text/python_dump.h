// The dump that CPython writes when it gives up, or faulthandler at a fatal signal.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.h"

namespace holdfast {

struct PythonDump {
    std::string headline;  // "Segmentation fault" of "Fatal Python error: Segmentation fault"
    // faulthandler names the signal; anything else is the interpreter's own reason.
    bool names_signal = false;
    std::vector<Frame> frames;  // of the thread that died, outermost first
};

// The dump that ends `text`; nothing when other output follows it.
std::optional<PythonDump> python_dump_at_end(std::string_view text);

// `text` without the dump that ends it.
std::string_view before_python_dump(std::string_view text);

}  // namespace holdfast
