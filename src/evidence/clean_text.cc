#include "evidence/clean_text.h"

#include "base/text.h"
#include "record/mask.h"

namespace holdfast {

std::string clean(std::string_view text, std::size_t limit) {
    return std::string(cut(mask_text(printable(text)), limit));
}

}  // namespace holdfast
