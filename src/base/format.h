// formatted("{} of {:.1f} GiB", count, size): the few format specifications that this project
// needs, checked by the compiler. The header costs little to include, because all work is done in
// format.cc.
//
// A field is {}, {2} or {:spec}; a spec is [<|>][#][0][width or {}][.precision][f|g|x].
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace holdfast {

enum class FormatKind : unsigned char { integer, natural, real, character, truth, text };

template <class T>
consteval FormatKind format_kind() {
    using Plain = std::remove_cvref_t<T>;
    if constexpr (std::same_as<Plain, bool>)
        return FormatKind::truth;
    else if constexpr (std::same_as<Plain, char>)
        return FormatKind::character;
    else if constexpr (std::signed_integral<Plain>)
        return FormatKind::integer;
    else if constexpr (std::unsigned_integral<Plain>)
        return FormatKind::natural;
    else if constexpr (std::floating_point<Plain>)
        return FormatKind::real;
    else {
        static_assert(std::convertible_to<const Plain&, std::string_view>,
                      "formatted() takes numbers, characters and text");
        return FormatKind::text;
    }
}

// A value on its way into a text; holds no copy, so it must not outlive the call.
class FormatArgument {
public:
    template <class T>
    FormatArgument(const T& value) : kind_(format_kind<T>()) {
        if constexpr (format_kind<T>() == FormatKind::text)
            text_ = value;
        else if constexpr (format_kind<T>() == FormatKind::real)
            real_ = static_cast<double>(value);
        else if constexpr (format_kind<T>() == FormatKind::integer)
            natural_ = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
        else
            natural_ = static_cast<std::uint64_t>(value);
    }

    FormatKind kind() const { return kind_; }
    std::string_view text() const { return text_; }
    double real() const { return real_; }
    std::uint64_t natural() const { return natural_; }
    std::int64_t integer() const { return static_cast<std::int64_t>(natural_); }

private:
    FormatKind kind_;
    double real_ = 0;
    std::uint64_t natural_ = 0;
    std::string_view text_;
};

// One replacement field of a pattern.
struct FormatField {
    int argument = 0;
    int width = 0;
    int width_argument = -1;  // {:>{}}: the width is an argument
    int precision = -1;
    char align = 0;
    char type = 0;
    bool zeros = false;
    bool prefix = false;
};

// Not constexpr on purpose: a pattern that gets here does not compile.
void wrong_pattern(const char* why);

// Reads the field behind a '{' that was taken off already; `next` counts the unnumbered ones.
constexpr FormatField read_format_field(std::string_view& rest, int& next) {
    const auto digit = [&] { return !rest.empty() && rest[0] >= '0' && rest[0] <= '9'; };
    const auto take = [&](char c) {
        const bool there = !rest.empty() && rest[0] == c;
        if (there) rest.remove_prefix(1);
        return there;
    };
    const auto number = [&] {
        int value = 0;
        for (; digit() && value < 1000; rest.remove_prefix(1)) value = value * 10 + (rest[0] - '0');
        return value;
    };
    FormatField field;
    field.argument = digit() ? number() : next++;
    if (take(':')) {
        if (take('<')) field.align = '<';
        if (take('>')) field.align = '>';
        field.prefix = take('#');
        field.zeros = take('0');
        if (take('{')) {
            if (!take('}')) wrong_pattern("a width is {} or a number");
            field.width_argument = next++;
        } else {
            field.width = number();
        }
        if (take('.')) field.precision = number();
        for (const char type : {'f', 'g', 'x'})
            if (take(type)) field.type = type;
    }
    if (!take('}')) wrong_pattern("a field without its end, or with a spec that is not known");
    return field;
}

// A literal that fits the arguments; anything else does not compile.
template <class... Args>
class FormatPattern {
public:
    template <std::size_t size>
    consteval FormatPattern(const char (&text)[size]) : text_(text, size - 1) {
        constexpr FormatKind kinds[] = {format_kind<Args>()..., FormatKind::text};
        constexpr int count = sizeof...(Args);
        bool used[sizeof...(Args) + 1] = {};
        int next = 0;
        for (std::string_view rest = text_; !rest.empty();) {
            const char c = rest[0];
            rest.remove_prefix(1);
            if (c != '{' && c != '}') continue;
            if (!rest.empty() && rest[0] == c) {
                rest.remove_prefix(1);
                continue;
            }
            if (c == '}') wrong_pattern("a } that nothing opened; write }}");
            const FormatField field = read_format_field(rest, next);
            if (field.argument >= count || field.width_argument >= count)
                wrong_pattern("more fields than arguments");
            const FormatKind kind = kinds[field.argument];
            const bool whole = kind == FormatKind::integer || kind == FormatKind::natural;
            if (field.type == 'x' && !whole) wrong_pattern("x is for whole numbers");
            if ((field.type == 'f' || field.type == 'g' || field.precision >= 0) &&
                kind != FormatKind::real)
                wrong_pattern("a precision is for a float or a double");
            used[field.argument] = true;
            if (field.width_argument >= 0) used[field.width_argument] = true;
        }
        for (int i = 0; i < count; ++i)
            if (!used[i]) wrong_pattern("an argument that no field shows");
    }

    std::string_view text() const { return text_; }

private:
    std::string_view text_;
};

std::string format_arguments(std::string_view pattern, const FormatArgument* arguments);

template <class... Args>
std::string formatted(FormatPattern<std::type_identity_t<Args>...> pattern, const Args&... args) {
    const FormatArgument arguments[] = {FormatArgument(args)..., FormatArgument(' ')};
    return format_arguments(pattern.text(), arguments);
}

}  // namespace holdfast
