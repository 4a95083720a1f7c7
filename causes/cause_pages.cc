// Looks a page up. The pages themselves are in a generated file, see cmake/EmbedCauses.cmake.
#include "causes/cause_pages.h"

namespace holdfast {

std::optional<std::string_view> cause_page(std::string_view code) {
    for (const CausePage& page : cause_pages())
        if (page.code == code) return page.text;
    return std::nullopt;
}

}  // namespace holdfast
