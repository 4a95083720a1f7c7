#include "record/secret_shape.h"

#include <algorithm>

#include "base/characters.h"

namespace holdfast {
namespace {

struct TokenShape {
    std::string_view prefix;
    std::string_view extra;  // what may stand in it beside letters and digits
    std::size_t least;       // length after the prefix
    std::size_t run;         // one stretch of letters and digits is at least so long
};

// `run` tells sk-4f0a... from a folder named sk-learn-contrib-2024.
constexpr TokenShape shapes[] = {
    {"hf_", "", 30, 30},        {"sk-", "_-", 20, 16},        {"ghp_", "", 20, 20},
    {"gho_", "", 20, 20},       {"ghu_", "", 20, 20},         {"ghs_", "", 20, 20},
    {"ghr_", "", 20, 20},       {"github_pat_", "_", 20, 16}, {"AKIA", "", 16, 16},
    {"ASIA", "", 16, 16},       {"xoxb-", "-", 10, 8},        {"xoxp-", "-", 10, 8},
    {"xoxa-", "-", 10, 8},      {"xoxs-", "-", 10, 8},        {"xapp-", "-", 20, 8},
    {"glpat-", "_-", 15, 8},    {"AIza", "_-", 35, 8},        {"npm_", "", 30, 30},
    {"pypi-", "_-", 50, 16},    {"nvapi-", "_-", 30, 8},      {"wandb_v1_", "_-", 20, 16},
    {"dckr_pat_", "_-", 20, 8}, {"r8_", "", 30, 30},          {"ya29.", "_-.", 20, 8},
};

constexpr std::size_t longest_judged = 256;

std::size_t word_length(std::string_view text, std::string_view extra) {
    std::size_t length = 0;
    while (length < text.size() &&
           (is_alnum(text[length]) || extra.find(text[length]) != std::string_view::npos))
        ++length;
    return length;
}

bool has_run(std::string_view text, std::size_t least) {
    std::size_t run = 0;
    for (const char c : text) {
        run = is_alnum(c) ? run + 1 : 0;
        if (run >= least) return true;
    }
    return false;
}

// A digit, or both cases: words of a language rarely have either.
bool looks_random(std::string_view text) {
    return std::any_of(text.begin(), text.end(), is_digit) ||
           (std::any_of(text.begin(), text.end(), is_lower) &&
            std::any_of(text.begin(), text.end(), is_upper));
}

// header.payload.signature, each base64url, the first two JSON objects ("eyJ" is `{"`).
std::size_t web_token_length(std::string_view text) {
    if (!text.starts_with("eyJ")) return 0;
    constexpr std::string_view extra = "_-";
    const std::size_t header = word_length(text.substr(0, longest_judged), extra);
    if (header < 10 || header >= text.size() || text[header] != '.') return 0;
    const std::size_t payload = word_length(text.substr(header + 1), extra);
    if (payload < 10) return 0;
    std::size_t length = header + 1 + payload;
    if (length < text.size() && text[length] == '.')
        length += 1 + word_length(text.substr(length + 1), extra);
    return length;
}

}  // namespace

std::size_t secret_shape_length(std::string_view text) {
    constexpr std::string_view first_letters = "hsgAxnpwdrye";
    if (text.empty() || first_letters.find(text.front()) == std::string_view::npos) return 0;
    for (const TokenShape& shape : shapes) {
        if (!text.starts_with(shape.prefix)) continue;
        const std::string_view rest = text.substr(shape.prefix.size());
        // Judged by its beginning, so that "sk-sk-sk-..." does not cost a scan to the end each
        // time.
        const std::string_view start = rest.substr(0, longest_judged);
        const std::string_view body = start.substr(0, word_length(start, shape.extra));
        if (body.size() >= shape.least && has_run(body, shape.run) && looks_random(body))
            return shape.prefix.size() + word_length(rest, shape.extra);
    }
    return web_token_length(text);
}

}  // namespace holdfast
