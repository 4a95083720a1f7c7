#include "loader/json_numbers.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/format.h"
#include "base/text.h"

namespace holdfast::loader {
namespace {

constexpr int deepest_list = 32;

class JsonScanner {
public:
    explicit JsonScanner(std::string_view text) : rest_(text) {}

    void blanks() {
        while (!rest_.empty() &&
               (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\r' || rest_[0] == '\n'))
            rest_.remove_prefix(1);
    }
    bool take(char c) {
        blanks();
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool at(char c) {
        blanks();
        return rest_.starts_with(c);
    }
    bool empty() {
        blanks();
        return rest_.empty();
    }
    // The text between the quotes, escapes included.
    bool text(std::string_view& out) {
        if (!take('"')) return false;
        for (std::size_t i = 0; i < rest_.size(); ++i) {
            if (rest_[i] == '\\') {
                ++i;
            } else if (rest_[i] == '"') {
                out = rest_.substr(0, i);
                rest_.remove_prefix(i + 1);
                return true;
            }
        }
        return false;
    }
    bool number(double& value, bool& whole) {
        blanks();
        for (const auto& [word, meaning] :
             {std::pair<std::string_view, double>{"true", 1}, {"false", 0}})
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                value = meaning;
                whole = true;
                return true;
            }
        if (rest_.starts_with("NaN") || rest_.starts_with("null")) {
            rest_.remove_prefix(rest_[0] == 'N' ? 3 : 4);
            value = std::numeric_limits<double>::quiet_NaN();
            whole = false;
            return true;
        }
        if (rest_.empty() || (rest_[0] != '-' && (rest_[0] < '0' || rest_[0] > '9'))) return false;
        const char* begin = rest_.data();
        const auto [stop, failed] = std::from_chars(begin, begin + rest_.size(), value);
        if (failed == std::errc::invalid_argument) return false;
        if (failed == std::errc::result_out_of_range) value = 0;
        const std::string_view digits(begin, static_cast<std::size_t>(stop - begin));
        whole = digits.find_first_of(".eE") == std::string_view::npos;
        rest_.remove_prefix(digits.size());
        return true;
    }
    // Any value, whatever it is.
    bool skip(int depth = 0) {
        if (depth > deepest_list) return false;
        std::string_view ignored;
        double number_ignored = 0;
        bool whole = false;
        blanks();
        if (at('"')) return text(ignored);
        if (take('{')) {
            if (take('}')) return true;
            do {
                if (!text(ignored) || !take(':') || !skip(depth + 1)) return false;
            } while (take(','));
            return take('}');
        }
        if (take('[')) {
            if (take(']')) return true;
            do {
                if (!skip(depth + 1)) return false;
            } while (take(','));
            return take(']');
        }
        return number(number_ignored, whole);
    }
    // Calls `each(value, whole)` for every number in nested lists; false if there is another value.
    template <class Each>
    bool numbers(const Each& each, int depth = 0) {
        if (depth > deepest_list) return false;
        if (take('[')) {
            if (take(']')) return true;
            do {
                if (!numbers(each, depth + 1)) return false;
            } while (take(','));
            return take(']');
        }
        double value = 0;
        bool whole = false;
        return number(value, whole) && each(value, whole);
    }
    std::string_view rest() const { return rest_; }

private:
    std::string_view rest_;
};

bool put(const WantedMember& member, std::uint64_t at, double value, bool whole) {
    if (at >= member.count) return false;
    if (member.whole) {
        if (!whole || std::abs(value) > 9007199254740992.0) return false;
        const auto exact = static_cast<std::int64_t>(value);
        std::memcpy(member.out + at * sizeof exact, &exact, sizeof exact);
    } else {
        const auto rounded = static_cast<float>(value);
        std::memcpy(member.out + at * sizeof rounded, &rounded, sizeof rounded);
    }
    return true;
}

}  // namespace

Status read_members(std::string_view line, std::span<const WantedMember> wanted) {
    JsonScanner scanner(line);
    if (!scanner.take('{')) return Error{"not a JSON object"};
    std::uint64_t found = 0;
    std::vector<bool> had(wanted.size());
    if (!scanner.take('}')) {
        do {
            std::string_view key;
            if (!scanner.text(key) || !scanner.take(':')) return Error{"not a JSON object"};
            std::size_t w = 0;
            while (w < wanted.size() && wanted[w].name != key) ++w;
            if (w == wanted.size()) {
                if (!scanner.skip())
                    return Error{formatted("the value of \"{}\" is no JSON", printable(key))};
                continue;
            }
            const WantedMember& member = wanted[w];
            std::uint64_t count = 0;
            const bool good = scanner.numbers(
                [&](double value, bool whole) { return put(member, count++, value, whole); });
            if (!good || count != member.count)
                return Error{formatted("\"{}\" is not {} {}numbers, as in the first line",
                                       printable(key), member.count, member.whole ? "whole " : "")};
            if (!had[w]) ++found;
            had[w] = true;
        } while (scanner.take(','));
        if (!scanner.take('}')) return Error{"not a JSON object"};
    }
    if (!scanner.empty()) return Error{"something behind the JSON object"};
    for (std::size_t w = 0; found < wanted.size() && w < wanted.size(); ++w)
        if (!had[w]) return Error{formatted("no \"{}\"", wanted[w].name)};
    return Done{};
}

Result<std::vector<SeenMember>> look_at_members(std::string_view line) {
    JsonScanner scanner(line);
    std::vector<SeenMember> members;
    if (!scanner.take('{')) return Error{"not a JSON object"};
    if (scanner.take('}')) return members;
    do {
        std::string_view key;
        if (!scanner.text(key) || !scanner.take(':')) return Error{"not a JSON object"};
        SeenMember member;
        member.name = std::string(key);
        // The shape of the first list; the others are checked when read.
        JsonScanner shape(scanner.rest());
        JsonScanner counting(scanner.rest());
        member.numbers = counting.numbers([&](double, bool whole) {
            member.whole = member.whole && whole;
            ++member.count;
            return true;
        });
        if (member.numbers && scanner.at('[')) {
            JsonScanner outer(scanner.rest());
            std::uint64_t inner = member.count;
            while (outer.take('[')) {
                std::uint64_t items = 0;
                JsonScanner list(outer.rest());
                if (!list.take(']')) {
                    do ++items;
                    while (list.skip() && list.take(','));
                }
                if (items == 0 || inner % items != 0) {
                    member.numbers = false;
                    break;
                }
                member.shape.push_back(items);
                inner /= items;
            }
        }
        if (!scanner.skip())
            return Error{formatted("the value of \"{}\" is no JSON", printable(key))};
        members.push_back(std::move(member));
    } while (scanner.take(','));
    if (!scanner.take('}')) return Error{"not a JSON object"};
    return members;
}

}  // namespace holdfast::loader
