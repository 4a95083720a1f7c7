// Names a cause of the catalogue; an unknown slug does not compile.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "model/catalogue.h"

namespace holdfast {

class CauseId {
public:
    constexpr const Cause& get() const { return catalogue[index_]; }
    constexpr const Cause* operator->() const { return &catalogue[index_]; }
    friend constexpr bool operator==(CauseId, CauseId) = default;

    // By code ("HF101", in any case) or by slug.
    static std::optional<CauseId> find(std::string_view code_or_slug);
    static constexpr CauseId at(std::size_t index) { return CauseId(index); }

    static consteval CauseId of(std::string_view slug) {
        for (std::size_t i = 0; i < catalogue.size(); ++i)
            if (catalogue[i].slug == slug) return CauseId(i);
        throw "no such cause in the catalogue";
    }

private:
    constexpr explicit CauseId(std::size_t index) : index_(index) {}
    std::size_t index_;
};

inline namespace literals {
consteval CauseId operator""_cause(const char* slug, std::size_t length) {
    return CauseId::of({slug, length});
}
}  // namespace literals

}  // namespace holdfast
