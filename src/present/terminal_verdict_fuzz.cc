// Any verdict that can be read can be shown, within the width and without control characters.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/text.h"
#include "model/json.h"
#include "present/terminal_verdict.h"
#include "present/wrap.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast;
    const auto verdict = verdict_from_json({reinterpret_cast<const char*>(data), size});
    if (!verdict) return 0;
    const Style style{60, false, true};
    const std::string page = terminal_verdict(*verdict, style);
    const std::string line = one_line_verdict(*verdict);
    if (printable(page) != page || printable(line) != line) std::abort();
    for (std::string_view each : split(page, '\n'))
        if (display_width(each) > style.width) std::abort();
    return 0;
}
