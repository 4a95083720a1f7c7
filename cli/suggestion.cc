#include "suggestion.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace holdfast::cli {
namespace {

constexpr std::size_t longest = 64;

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string plain(std::string_view word) {
    std::string text;
    for (const char c : word.substr(0, longest))
        if (c != '-' && c != '_') text += lower(c);
    return text;
}

// How many letters must be changed, added, left out or swapped with their neighbour.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1);
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before = std::exchange(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::vector<std::string_view> meant(std::string_view word,
                                    std::span<const std::string_view> known) {
    const std::string wanted = plain(word);
    if (wanted.size() < 2) return {};
    std::vector<std::pair<std::size_t, std::string_view>> near;
    for (const std::string_view candidate : known) {
        const std::string name = plain(candidate);
        const std::size_t away = distance(wanted, name);
        const std::size_t allowed = std::max<std::size_t>(1, wanted.size() / 3);
        const bool part = wanted.size() >= 3 && name.find(wanted) != std::string::npos;
        const bool begins = name.size() >= 4 && wanted.starts_with(name);
        if (away <= allowed || part || begins) near.emplace_back(away, candidate);
    }
    std::stable_sort(near.begin(), near.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    // For a typing error only the nearest names count; a part of a name may mean several.
    std::vector<std::string_view> words;
    for (const auto& [away, candidate] : near)
        if (words.size() < 4 && (near.front().first > 1 || away == near.front().first))
            words.push_back(candidate);
    return words;
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
    const std::vector<std::string_view> words = meant(word, known);
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
        text += words[i];
    }
    return text.empty() ? text : "did you mean " + text + "? ";
}

}  // namespace holdfast::cli
