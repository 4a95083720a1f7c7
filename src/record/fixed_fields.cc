#include "record/fixed_fields.h"

#include <algorithm>

namespace holdfast {

void set_fixed_text(char* field, std::size_t size, std::string_view text) {
    if (size == 0) return;
    std::memset(field, 0, size);
    if (text.size() <= size) {
        std::memcpy(field, text.data(), text.size());
        return;
    }
    constexpr std::string_view dots = "...";
    std::size_t keep = size > dots.size() ? size - dots.size() : size;
    // Half a UTF-8 character would read as garbage.
    while (keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xc0U) == 0x80U) --keep;
    std::memcpy(field, text.data(), keep);
    std::memcpy(field + keep, dots.data(), std::min(dots.size(), size - keep));
}

std::string event_text(const format::Event& event) {
    const std::size_t size = std::min<std::size_t>(event.text_size, sizeof(event.text));
    return printable(std::string_view(event.text, size));
}

void set_event_text(format::Event& event, std::string_view text) {
    set_fixed_text(event.text, text);
    event.text_size = static_cast<std::uint32_t>(std::min(text.size(), sizeof(event.text)));
}

}  // namespace holdfast
