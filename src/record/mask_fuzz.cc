// Any bytes as text and as a command: no crash, no argument lost.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "record/mask.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    holdfast::mask_text(holdfast::mask_text(text));
    std::vector<std::string> argv;
    for (const std::string_view argument : holdfast::split(text, '\0')) argv.emplace_back(argument);
    const auto masked = holdfast::mask_command(argv);
    if (masked.size() != argv.size()) std::abort();
    holdfast::command_line(masked);
    return 0;
}
