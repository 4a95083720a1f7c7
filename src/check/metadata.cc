#include "check/metadata.h"

#include <array>

#include "base/text.h"
#include "check/version.h"

namespace holdfast::check {
namespace {

constexpr std::size_t most_requirements = 512;

std::string_view unquoted(std::string_view text) {
    text = trim(text);
    while (text.starts_with('(')) text = trim(text.substr(1));
    while (text.ends_with(')')) text = trim(text.substr(0, text.size() - 1));
    if (text.size() >= 2 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0])
        text = text.substr(1, text.size() - 2);
    return text;
}

// Evaluates one comparison; nothing if a word in it is unknown.
std::optional<bool> comparison_holds(std::string_view text, const MarkerWorld& world) {
    constexpr std::array<std::string_view, 6> operators{"==", "!=", "<=", ">=", "<", ">"};
    std::size_t at = std::string_view::npos;
    std::string_view op;
    for (const std::string_view candidate : operators)
        if (const std::size_t place = text.find(candidate); place < at) {
            at = place;
            op = candidate;
        }
    if (op.empty()) return std::nullopt;
    const std::string_view key = unquoted(text.substr(0, at));
    const std::string_view wanted = unquoted(text.substr(at + op.size()));
    if (key == "python_version" || key == "python_full_version") {
        if (world.python.empty()) return std::nullopt;
        // Of the Python version only the first two numbers are known.
        if (key == "python_full_version" && split(wanted, '.').size() > 2) return std::nullopt;
        return fits(std::string(op) + std::string(wanted), world.python);
    }
    std::string_view here;
    if (key == "platform_system") here = "Linux";
    if (key == "sys_platform") here = "linux";
    if (key == "os_name") here = "posix";
    if (key == "platform_machine") here = world.machine;
    if (key == "platform_python_implementation" || key == "implementation_name")
        return std::nullopt;
    if (here.empty() || (op != "==" && op != "!=")) return std::nullopt;
    return (here == wanted) == (op == "==");
}

std::vector<std::string_view> split_word(std::string_view text, std::string_view word) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; (at = text.find(word)) != std::string_view::npos;) {
        parts.push_back(text.substr(0, at));
        text.remove_prefix(at + word.size());
    }
    parts.push_back(text);
    return parts;
}

std::optional<Requirement> parse_requirement(std::string_view text, const MarkerWorld& world) {
    if (const std::size_t semicolon = text.find(';'); semicolon != std::string_view::npos) {
        if (marker_holds(text.substr(semicolon + 1), world) != true) return std::nullopt;
        text = text.substr(0, semicolon);
    }
    text = trim(text);
    const std::size_t end = text.find_first_of(" ([<>=!~@");
    Requirement requirement{normalised(text.substr(0, end)), ""};
    if (requirement.name.empty()) return std::nullopt;
    if (end == std::string_view::npos) return requirement;
    std::string_view rest = trim(text.substr(end));
    if (rest.starts_with('[')) {
        const std::size_t close = rest.find(']');
        if (close == std::string_view::npos) return std::nullopt;
        rest = trim(rest.substr(close + 1));
    }
    if (rest.starts_with('@')) return std::nullopt;  // required from an address: any version fits
    if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
    requirement.specifiers = std::string(trim(rest));
    return requirement;
}

}  // namespace

std::string normalised(std::string_view name) {
    std::string text;
    for (const char c : trim(name)) {
        const bool separator = c == '_' || c == '.' || c == '-';
        if (separator && text.ends_with('-')) continue;
        if (separator)
            text += '-';
        else
            text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return text;
}

std::optional<bool> marker_holds(std::string_view marker, const MarkerWorld& world) {
    // A mixture of both with parentheses would need a parser: such markers stay undecided.
    const bool mixed = marker.find(" and ") != std::string_view::npos &&
                       marker.find(" or ") != std::string_view::npos;
    if (mixed) return std::nullopt;
    const bool any = marker.find(" or ") != std::string_view::npos;
    bool unknown = false;
    for (const std::string_view part : split_word(marker, any ? " or " : " and ")) {
        const auto holds = comparison_holds(part, world);
        if (!holds)
            unknown = true;
        else if (*holds == any)
            return any;
    }
    if (unknown) return std::nullopt;
    return !any;
}

Metadata parse_metadata(std::string_view text, const MarkerWorld& world) {
    Metadata metadata;
    while (const auto line = next_line(text)) {
        const std::string_view whole =
            line->ends_with('\r') ? line->substr(0, line->size() - 1) : *line;
        if (whole.empty()) break;
        const std::size_t colon = whole.find(':');
        if (colon == std::string_view::npos) continue;
        const std::string_view key = whole.substr(0, colon);
        const std::string_view value = trim(whole.substr(colon + 1));
        if (key == "Name") metadata.name = normalised(value);
        if (key == "Version") metadata.version = std::string(value);
        if (key == "Requires-Dist" && metadata.requires_.size() < most_requirements)
            if (auto requirement = parse_requirement(value, world))
                metadata.requires_.push_back(std::move(*requirement));
    }
    return metadata;
}

}  // namespace holdfast::check
