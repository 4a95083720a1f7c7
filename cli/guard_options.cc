#include "guard_options.h"

#include <array>
#include <utility>

#include "base/bytes.h"
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

// The option's value, or else the variable's, and which of the two it was (for the error message).
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

Result<GuardOptions> guard_options(const Arguments& arguments, const Variable& variable) {
    GuardOptions options;
    if (const auto mode = given(arguments, "--guard", variable, "HOLDFAST_GUARD")) {
        const auto known = mode_from(mode->value);
        if (!known) return Error{formatted("{}={}: use off, warn or on", mode->name, mode->value)};
        options.mode = *known;
    }
    if (const auto size = given(arguments, "--guard-reserve", variable, "HOLDFAST_GUARD_RESERVE")) {
        const Result<Bytes> reserve = parse_size(size->value);
        if (!reserve) return Error{formatted("{}: {}", size->name, reserve.error().text)};
        options.reserve = *reserve;
    }
    if (const auto grace = given(arguments, "--guard-grace", variable, "HOLDFAST_GUARD_GRACE")) {
        const auto seconds = parse_number<std::uint32_t>(grace->value);
        if (!seconds || *seconds > 86400)
            return Error{formatted("{} {}: give whole seconds, 0 (never) to 86400", grace->name,
                                   grace->value)};
        options.grace = std::nullopt;
        if (*seconds > 0) options.grace = std::chrono::seconds(*seconds);
    }
    return options;
}

}  // namespace holdfast::cli
