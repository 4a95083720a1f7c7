#include "model/cause.h"

#include <algorithm>

namespace holdfast {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::optional<CauseId> CauseId::find(std::string_view code_or_slug) {
    for (std::size_t i = 0; i < catalogue.size(); ++i)
        if (same_word(catalogue[i].code, code_or_slug) || catalogue[i].slug == code_or_slug)
            return CauseId(i);
    return std::nullopt;
}

}  // namespace holdfast
