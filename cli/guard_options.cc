#include "guard_options.h"

#include <array>
#include <utility>

#include "base/format.h"
#include "base/text.h"

namespace holdfast::cli {
namespace {

std::optional<format::GuardMode> mode_from(std::string_view text) {
    if (text == "off") return format::GuardMode::off;
    if (text == "warn") return format::GuardMode::warn;
    if (text == "on") return format::GuardMode::on;
    return std::nullopt;
}

// The option's value, else the variable's; and which of the two it was, for the complaint.
struct Given {
    std::string name, value;
};

std::optional<Given> given(const Arguments& arguments, std::string_view option,
                           const Variable& variable, const char* name) {
    if (const auto value = arguments.get(option)) return Given{std::string(option), *value};
    const char* value = variable(name);
    if (value == nullptr || *value == 0) return std::nullopt;
    return Given{name, value};
}

}  // namespace

std::optional<Bytes> size_from(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, double>, 10> units{{{"", 1.0},
                                                                                {"B", 1.0},
                                                                                {"K", 0x1p10},
                                                                                {"KiB", 0x1p10},
                                                                                {"M", 0x1p20},
                                                                                {"MiB", 0x1p20},
                                                                                {"G", 0x1p30},
                                                                                {"GiB", 0x1p30},
                                                                                {"T", 0x1p40},
                                                                                {"TiB", 0x1p40}}};
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::optional<double> number = parse_decimal(text.substr(0, end));
    const std::string_view unit = trim(text.substr(end));
    if (!number || *number < 0) return std::nullopt;
    for (const auto& [name, factor] : units)
        if (unit == name && *number * factor < 0x1p60)
            return Bytes{static_cast<std::uint64_t>(*number * factor)};
    return std::nullopt;
}

Result<GuardOptions> guard_options(const Arguments& arguments, const Variable& variable) {
    GuardOptions options;
    if (const auto mode = given(arguments, "--guard", variable, "HOLDFAST_GUARD")) {
        const auto known = mode_from(mode->value);
        if (!known) return Error{formatted("{}={}: use off, warn or on", mode->name, mode->value)};
        options.mode = *known;
    }
    if (const auto size = given(arguments, "--guard-reserve", variable, "HOLDFAST_GUARD_RESERVE")) {
        options.reserve = size_from(size->value);
        if (!options.reserve)
            return Error{formatted("{}={}: use a size such as 64MiB", size->name, size->value)};
    }
    const char* huge = variable("HOLDFAST_GUARD_HUGE");
    options.allow_huge =
        arguments.has("--guard-huge") || (huge != nullptr && std::string_view(huge) == "1");
    return options;
}

}  // namespace holdfast::cli
