#include "check/version.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace holdfast::check {
namespace {

std::optional<std::uint64_t> take_number(std::string_view& rest) {
    std::size_t length = 0;
    while (length < rest.size() && is_digit(rest[length])) ++length;
    const auto number = parse_number<std::uint64_t>(rest.substr(0, length));
    if (number) rest.remove_prefix(length);
    return number;
}

struct Phase {
    std::string_view word;
    int phase;
};
constexpr std::array phases{Phase{"alpha", -3}, Phase{"beta", -2}, Phase{"preview", -1},
                            Phase{"post", 1},   Phase{"rev", 1},   Phase{"dev", -4},
                            Phase{"pre", -1},   Phase{"rc", -1},   Phase{"a", -3},
                            Phase{"b", -2},     Phase{"c", -1},    Phase{"r", 1}};

// ".dev3", "rc1", "-post2"; false for anything else.
bool take_phase(std::string_view& rest, PackageVersion& version) {
    if (!rest.empty() && (rest[0] == '.' || rest[0] == '-' || rest[0] == '_'))
        rest.remove_prefix(1);
    for (const Phase& known : phases) {
        if (!rest.starts_with(known.word)) continue;
        rest.remove_prefix(known.word.size());
        if (!rest.empty() && (rest[0] == '.' || rest[0] == '-')) rest.remove_prefix(1);
        // "rc1.dev2": only the first word counts; such versions are rare.
        const auto number = take_number(rest).value_or(0);
        if (version.phase == 0) {
            version.phase = known.phase;
            version.phase_number = number;
        }
        return true;
    }
    return false;
}

bool same_prefix(const PackageVersion& version, const PackageVersion& prefix, std::size_t parts) {
    for (std::size_t i = 0; i < parts; ++i)
        if (version.part(i) != prefix.part(i)) return false;
    return version.epoch == prefix.epoch;
}

std::size_t parts_written(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '.')) + 1;
}

std::optional<bool> fits_one(std::string_view specifier, const PackageVersion& version) {
    constexpr std::array<std::string_view, 8> operators{
        "===", "~=", "==", "!=", "<=", ">=", "<", ">"};
    const auto found = std::find_if(operators.begin(), operators.end(),
                                    [&](auto op) { return specifier.starts_with(op); });
    if (found == operators.end() || *found == "===") return std::nullopt;
    const std::string_view op = *found;
    std::string_view text = trim(specifier.substr(op.size()));
    const bool wild = text.ends_with(".*");
    if (wild) text.remove_suffix(2);
    const auto wanted = parse_version(text);
    if (!wanted || (wild && op != "==" && op != "!=")) return std::nullopt;
    const bool same =
        wild ? same_prefix(version, *wanted, parts_written(text))
             : version == *wanted && (wanted->local.empty() || wanted->local == version.local);
    if (op == "==") return same;
    if (op == "!=") return !same;
    if (op == "<=") return version <= *wanted;
    if (op == ">=") return version >= *wanted;
    // "<2" excludes 2.0rc1, too; ">2" excludes 2.post1.
    if (op == "<")
        return version < *wanted &&
               !(version.phase < 0 && wanted->phase == 0 && version.release == wanted->release);
    if (op == ">")
        return version > *wanted &&
               !(version.phase > 0 && wanted->phase == 0 && version.release == wanted->release);
    const std::size_t parts = parts_written(text);
    if (parts < 2) return std::nullopt;
    return version >= *wanted && same_prefix(version, *wanted, parts - 1);
}

}  // namespace

std::strong_ordering operator<=>(const PackageVersion& a, const PackageVersion& b) {
    if (const auto order = a.epoch <=> b.epoch; order != 0) return order;
    if (const auto order = std::lexicographical_compare_three_way(
            a.release.begin(), a.release.end(), b.release.begin(), b.release.end());
        order != 0)
        return order;
    if (const auto order = a.phase <=> b.phase; order != 0) return order;
    return a.phase_number <=> b.phase_number;
}

std::optional<PackageVersion> parse_version(std::string_view text) {
    std::string_view rest = trim(text);
    PackageVersion version;
    if (rest.starts_with('v')) rest.remove_prefix(1);
    if (const std::size_t plus = rest.find('+'); plus != std::string_view::npos) {
        version.local = std::string(rest.substr(plus + 1));
        rest = rest.substr(0, plus);
    }
    if (const std::size_t bang = rest.find('!'); bang != std::string_view::npos) {
        const auto epoch = parse_number<std::uint64_t>(rest.substr(0, bang));
        if (!epoch) return std::nullopt;
        version.epoch = *epoch;
        rest.remove_prefix(bang + 1);
    }
    do {
        const auto number = take_number(rest);
        if (!number || version.release.size() > 16) return std::nullopt;
        version.release.push_back(*number);
    } while (rest.size() > 1 && rest[0] == '.' && is_digit(rest[1]) &&
             (rest.remove_prefix(1), true));
    while (!version.release.empty() && version.release.back() == 0) version.release.pop_back();
    while (!rest.empty())
        if (!take_phase(rest, version)) return std::nullopt;
    return version;
}

std::optional<bool> fits(std::string_view specifiers, std::string_view version) {
    const auto have = parse_version(version);
    if (!have) return std::nullopt;
    bool all = true;
    while (const auto piece = next_piece(specifiers, ',')) {
        if (trim(*piece).empty()) continue;
        const auto one = fits_one(trim(*piece), *have);
        if (!one) return std::nullopt;
        all = all && *one;
    }
    return all;
}

std::optional<MajorMinor> major_minor(std::string_view text) {
    text = trim(text);
    const auto major = take_number(text);
    if (!major || *major > 1'000'000) return std::nullopt;
    MajorMinor version{static_cast<int>(*major), 0};
    if (text.size() > 1 && text[0] == '.') {
        text.remove_prefix(1);
        version.minor =
            static_cast<int>(std::min<std::uint64_t>(take_number(text).value_or(0), 1'000'000));
    }
    return version;
}

}  // namespace holdfast::check
