#include "present/display_width.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace holdfast {
namespace {

struct Range {
    char32_t first, last;
};

// Blocks rather than single characters: a table of every exception would need a new edition every
// year, and one column too many only wraps early.
constexpr Range zero_width[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd},   {0x0610, 0x061a}, {0x064b, 0x065f},
    {0x06d6, 0x06dc}, {0x0900, 0x0902}, {0x093c, 0x093c},   {0x0941, 0x0948}, {0x0e31, 0x0e31},
    {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff}, {0x200b, 0x200f},
    {0x202a, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff},   {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe01ef},
};
constexpr Range wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
    {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},
    {0x26bd, 0x26be},   {0x26d4, 0x26d4},   {0x2705, 0x2705},   {0x270a, 0x270b},
    {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2757, 0x2757},
    {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},
    {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0x9fff},   {0xa000, 0xa4cf},
    {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},
    {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f004, 0x1f004},
    {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f19a}, {0x1f1e6, 0x1f202}, {0x1f210, 0x1f23b},
    {0x1f240, 0x1f265}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb},
    {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
};

bool within(char32_t code_point, std::span<const Range> ranges) {
    const auto after = std::upper_bound(ranges.begin(), ranges.end(), code_point,
                                        [](char32_t c, Range r) { return c < r.first; });
    return after != ranges.begin() && code_point <= std::prev(after)->last;
}

}  // namespace

char32_t next_code_point(std::string_view& rest) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
    const unsigned lead = byte(0);
    if (lead < 0x80) {
        rest.remove_prefix(1);
        return lead;
    }
    const std::size_t length = lead < 0xc2   ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    char32_t value = lead & (0xffU >> (length + 1));
    bool whole = length != 0 && length <= rest.size();
    for (std::size_t i = 1; whole && i < length; ++i) {
        whole = (byte(i) & 0xc0U) == 0x80U;
        value = value << 6U | (byte(i) & 0x3fU);
    }
    rest.remove_prefix(whole ? length : 1);
    return whole ? value : U'\ufffd';
}

int column_width(char32_t code_point) {
    if (code_point < 0x300) return 1;
    if (within(code_point, zero_width)) return 0;
    return within(code_point, wide) ? 2 : 1;
}

std::size_t colour_length(std::string_view text) {
    if (!text.starts_with("\x1b[")) return 0;
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

int display_width(std::string_view text) {
    int width = 0;
    while (!text.empty()) {
        if (const std::size_t colour = colour_length(text); colour > 0)
            text.remove_prefix(colour);
        else
            width += column_width(next_code_point(text));
    }
    return width;
}

}  // namespace holdfast
