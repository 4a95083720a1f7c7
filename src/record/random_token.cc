#include "record/random_token.h"

#include <algorithm>
#include <bitset>

namespace holdfast {
namespace {

enum class Kind { lower, upper, digit, other };

constexpr Kind kind_of(char c) {
    if (c >= 'a' && c <= 'z') return Kind::lower;
    if (c >= 'A' && c <= 'Z') return Kind::upper;
    if (c >= '0' && c <= '9') return Kind::digit;
    return Kind::other;
}

constexpr std::size_t token_judged = 256;

// One stretch without separators, or several together.
struct Disorder {
    std::size_t length = 0;
    std::size_t pairs = 0;    // of neighbours
    std::size_t changes = 0;  // between lower, upper and digit
    std::size_t count[3] = {};
    bool hexadecimal = true;
    std::bitset<128> seen;

    std::size_t of(Kind kind) const { return count[static_cast<std::size_t>(kind)]; }
    void add(char c, Kind before) {
        const Kind kind = kind_of(c);
        if (before != Kind::other) {
            ++pairs;
            if (kind != before) ++changes;
        }
        ++length;
        ++count[static_cast<std::size_t>(kind)];
        hexadecimal = hexadecimal && (kind == Kind::digit || (c >= 'a' && c <= 'f') ||
                                      (c >= 'A' && c <= 'F') || c == 'x');
        seen.set(static_cast<unsigned char>(c));
    }
    bool changes_at_least(std::size_t percent) const { return changes * 100 >= pairs * percent; }
    bool has_many_characters() const { return seen.count() >= 10; }
};

// Random letters of both cases and digits change their kind at 62 of 100 places, CamelCase at 33.
bool is_mixed(const Disorder& all, const Disorder& longest) {
    return all.length >= 20 && longest.length >= 12 && longest.of(Kind::lower) != 0 &&
           longest.of(Kind::upper) != 0 && all.changes_at_least(42) && all.has_many_characters() &&
           longest.of(Kind::digit) >= 1 && all.of(Kind::digit) >= 2;
}

// Random letters of one case and digits do so at 40 of 100, "checkpoint20240101step3000" at 12.
bool is_one_case(const Disorder& longest) {
    return longest.length >= 24 && !longest.hexadecimal && longest.of(Kind::digit) >= 3 &&
           (longest.of(Kind::lower) == 0) != (longest.of(Kind::upper) == 0) &&
           longest.changes_at_least(25) && longest.has_many_characters();
}

}  // namespace

std::size_t random_token_length(std::string_view text, Place place) {
    if (text.starts_with("_Z") || text.starts_with("_R")) return 0;  // a mangled symbol
    if (text.starts_with("0x") || text.starts_with("0X")) return 0;  // an address
    const auto joins = [&](char c) {
        return c == '_' || c == '-' || c == '+' || (c == '/' && place == Place::text);
    };
    Disorder all;
    Disorder longest;
    Disorder stretch;
    Kind before = Kind::other;
    std::size_t length = 0;
    const auto belongs = [&](char c) { return kind_of(c) != Kind::other || joins(c); };
    // Judged by its beginning, so that "a/a/a/..." does not cost a scan to the end each time.
    for (; length < std::min(text.size(), token_judged) && belongs(text[length]); ++length) {
        const Kind kind = kind_of(text[length]);
        if (kind == Kind::other) {
            stretch = {};
        } else {
            all.add(text[length], before);
            stretch.add(text[length], before);
            if (stretch.length > longest.length) longest = stretch;
        }
        before = kind;
    }
    if (!is_mixed(all, longest) && (place == Place::path || !is_one_case(longest))) return 0;
    while (length < text.size() && belongs(text[length])) ++length;
    while (length < text.size() && text[length] == '=') ++length;
    return length;
}

}  // namespace holdfast
