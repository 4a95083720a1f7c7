#include "evidence/clean_text.h"

#include "base/text.h"
#include "record/mask.h"

namespace holdfast {

std::string_view cut(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return text;
    while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0U) == 0x80U) --limit;
    return text.substr(0, limit);
}

std::string clean(std::string_view text, std::size_t limit) {
    return std::string(cut(mask_text(printable(text)), limit));
}

}  // namespace holdfast
