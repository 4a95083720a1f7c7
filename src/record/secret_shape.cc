#include "record/secret_shape.h"

#include <algorithm>
#include <bitset>

#include "base/text.h"

namespace holdfast {
namespace {

struct TokenShape {
    std::string_view prefix;
    std::string_view extra;  // further characters that it may contain
    std::size_t least;       // length after the prefix
    std::size_t run;         // its longest stretch of letters and digits has at least this length
};

// `run` distinguishes sk-4f0a... from a folder named sk-learn-contrib-2024.
// clang-format off
constexpr TokenShape shapes[] = {
    {"hf_", "", 30, 30},        {"api_org_", "", 30, 30},     {"sk-", "_-", 20, 16},
    {"ghp_", "", 20, 20},       {"gho_", "", 20, 20},         {"ghu_", "", 20, 20},
    {"ghs_", "", 20, 20},       {"ghr_", "", 20, 20},         {"github_pat_", "_", 20, 16},
    {"AKIA", "", 16, 16},       {"ASIA", "", 16, 16},         {"ABIA", "", 16, 16},
    {"ACCA", "", 16, 16},       {"LTAI", "", 12, 12},         {"AKID", "", 28, 28},
    {"xoxb-", "-", 10, 8},      {"xoxp-", "-", 10, 8},        {"xoxa-", "-", 10, 8},
    {"xoxs-", "-", 10, 8},      {"xoxr-", "-", 10, 8},        {"xoxc-", "-", 10, 8},
    {"xoxd-", "-%", 10, 8},     {"xoxe.", "-.", 10, 8},       {"xapp-", "-", 20, 8},
    {"glpat-", "_-", 15, 8},    {"glrt-", "_-", 15, 8},       {"gldt-", "_-", 15, 8},
    {"glptt-", "_-", 15, 8},    {"glcbt-", "_-", 15, 8},      {"glsa_", "_", 24, 16},
    {"glc_", "_=+/", 24, 16},   {"AIza", "_-", 35, 8},        {"GOCSPX-", "_-", 20, 8},
    {"ya29.", "_-.", 20, 8},    {"npm_", "", 30, 30},         {"pypi-", "_-", 50, 16},
    {"rubygems_", "", 30, 30},  {"nvapi-", "_-", 30, 8},      {"wandb_v1_", "_-", 20, 16},
    {"dckr_pat_", "_-", 20, 8}, {"r8_", "", 30, 30},          {"sk_live_", "", 16, 16},
    {"sk_test_", "", 16, 16},   {"rk_live_", "", 16, 16},     {"rk_test_", "", 16, 16},
    {"pk_live_", "", 16, 16},   {"whsec_", "+/=", 20, 16},    {"gsk_", "", 24, 24},
    {"SG.", "_-.", 30, 8},      {"key-", "", 32, 32},         {"xkeysib-", "-", 32, 16},
    {"shpat_", "", 32, 32},     {"shpss_", "", 32, 32},       {"shpca_", "", 32, 32},
    {"shppa_", "", 32, 32},     {"sq0atp-", "_-", 20, 8},     {"sq0csp-", "_-", 20, 8},
    {"dop_v1_", "", 32, 32},    {"doo_v1_", "", 32, 32},      {"dor_v1_", "", 32, 32},
    {"hvs.", "_-", 20, 8},      {"hvb.", "_-", 20, 8},        {"pul-", "", 32, 32},
    {"lin_api_", "", 32, 32},   {"ntn_", "", 30, 30},         {"secret_", "", 32, 32},
    {"figd_", "_-", 30, 8},     {"dapi", "-", 32, 32},        {"ATATT3", "_-=", 40, 8},
    {"sbp_", "", 32, 32},       {"pcsk_", "_", 30, 16},       {"tvly-", "-", 20, 16},
    {"xai-", "", 40, 40},       {"NRAK-", "", 24, 24},        {"NRII-", "_-", 24, 16},
    {"sntrys_", "_-=+/", 40, 16}, {"sntryu_", "", 40, 40},    {"PMAK-", "-", 30, 24},
    {"CFPAT-", "_-", 30, 8},    {"pscale_tkn_", "_-.", 20, 8}, {"pscale_pw_", "_-.", 20, 8},
    {"tfp_", "_-", 30, 8},      {"AGE-SECRET-KEY-1", "", 40, 40}, {"EZAK", "", 50, 50},
    {"EZTK", "", 50, 50},       {"FLWSECK-", "-", 12, 12},    {"FLWSECK_TEST-", "-", 12, 12},
    {"pat-na1-", "-", 32, 8},   {"pat-eu1-", "-", 32, 8},     {"HRKU-", "_-", 30, 8},
    {"ops_eyJ", "_-=", 40, 16}, {"duffel_live_", "_-=", 30, 8}, {"shippo_live_", "", 32, 32},
    {"fio-u-", "_-=", 30, 8},   {"fw_", "", 22, 22},          {"lsv2_pt_", "_", 32, 16},
};
// clang-format on

// Addresses whose path is the secret: who knows it may post.
constexpr std::string_view webhooks[] = {"hooks.slack.com/services/",
                                         "hooks.slack.com/workflows/",
                                         "hooks.slack.com/triggers/",
                                         "discord.com/api/webhooks/",
                                         "discordapp.com/api/webhooks/",
                                         "hooks.zapier.com/hooks/catch/",
                                         "webhook.office.com/webhookb2/",
                                         "outlook.office.com/webhook/",
                                         "maker.ifttt.com/trigger/",
                                         "api.telegram.org/bot",
                                         "hc-ping.com/",
                                         "hook.eu1.make.com/",
                                         "chat.googleapis.com/v1/spaces/",
                                         "open.feishu.cn/open-apis/bot/v2/hook/",
                                         "oapi.dingtalk.com/robot/send",
                                         "qyapi.weixin.qq.com/cgi-bin/webhook/send"};

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

// Has a digit, or letters of both cases: words of a language rarely do.
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

// -----BEGIN ... PRIVATE KEY----- up to its end, or to the end of the text if it was cut.
std::size_t key_block_length(std::string_view text) {
    constexpr std::string_view begin = "-----BEGIN ";
    if (!text.starts_with(begin)) return 0;
    const std::string_view title = text.substr(begin.size(), 64);
    const std::string_view label = title.substr(0, title.find("-----"));
    if (label.size() == title.size() || label.find("PRIVATE KEY") == std::string_view::npos)
        return 0;
    constexpr std::string_view end = "-----END ";
    const std::size_t last = text.find(end);
    if (last == std::string_view::npos) return text.size();
    const std::size_t close = text.find("-----", last + end.size());
    return close == std::string_view::npos ? text.size() : close + 5;
}

// 123456789:AA..., as Telegram writes its tokens.
std::size_t bot_token_length(std::string_view text) {
    std::size_t digits = 0;
    while (digits < text.size() && digits < 11 && is_digit(text[digits])) ++digits;
    if (digits < 8 || digits >= text.size() || text[digits] != ':') return 0;
    const std::size_t rest = word_length(text.substr(digits + 1, longest_judged), "_-");
    return rest >= 34 && rest <= 36 && looks_random(text.substr(digits + 1, rest))
               ? digits + 1 + rest
               : 0;
}

}  // namespace

std::size_t secret_shape_length(std::string_view text) {
    if (text.empty()) return 0;
    if (text.front() == '-') return key_block_length(text);
    if (is_digit(text.front())) return bot_token_length(text);
    for (const TokenShape& shape : shapes) {
        if (!text.starts_with(shape.prefix)) continue;
        const std::string_view rest = text.substr(shape.prefix.size());
        // Looks only at the beginning, so that "sk-sk-sk-..." is not scanned to its end each time.
        const std::string_view start = rest.substr(0, longest_judged);
        const std::string_view body = start.substr(0, word_length(start, shape.extra));
        if (body.size() >= shape.least && has_run(body, shape.run) && looks_random(body))
            return shape.prefix.size() + word_length(rest, shape.extra);
    }
    return web_token_length(text);
}

std::size_t webhook_prefix_length(std::string_view text) {
    for (const std::string_view address : webhooks)
        if (text.starts_with(address)) return address.size();
    return 0;
}

namespace {

enum class Kind { lower, upper, digit, other };

constexpr Kind kind_of(char c) {
    if (c >= 'a' && c <= 'z') return Kind::lower;
    if (c >= 'A' && c <= 'Z') return Kind::upper;
    if (c >= '0' && c <= '9') return Kind::digit;
    return Kind::other;
}

constexpr std::size_t token_judged = 256;

// How random a stretch without separators is, or several together.
struct Disorder {
    std::size_t length = 0;
    std::size_t pairs = 0;    // of neighbouring characters
    std::size_t changes = 0;  // of these, between lower, upper and digit
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

// Random letters of both cases and digits change kind between 62 of 100 neighbours, CamelCase
// between 33.
bool is_mixed(const Disorder& all, const Disorder& longest) {
    return all.length >= 20 && longest.length >= 12 && longest.of(Kind::lower) != 0 &&
           longest.of(Kind::upper) != 0 && all.changes_at_least(42) && all.has_many_characters() &&
           longest.of(Kind::digit) >= 1 && all.of(Kind::digit) >= 2;
}

// Random letters of one case and digits change between 40 of 100, "checkpoint20240101step3000"
// between 12.
bool is_one_case(const Disorder& longest) {
    return longest.length >= 24 && !longest.hexadecimal && longest.of(Kind::digit) >= 3 &&
           (longest.of(Kind::lower) == 0) != (longest.of(Kind::upper) == 0) &&
           longest.changes_at_least(25) && longest.has_many_characters();
}

}  // namespace

std::size_t random_token_length(std::string_view text, SecretPlace place) {
    if (text.starts_with("_Z") || text.starts_with("_R")) return 0;  // a mangled symbol
    if (text.starts_with("0x") || text.starts_with("0X")) return 0;  // an address
    const auto joins = [&](char c) {
        return c == '_' || c == '-' || c == '+' || (c == '/' && place == SecretPlace::text);
    };
    Disorder all;
    Disorder longest;
    Disorder stretch;
    Kind before = Kind::other;
    std::size_t length = 0;
    const auto belongs = [&](char c) { return kind_of(c) != Kind::other || joins(c); };
    // Looks only at the beginning, so that "a/a/a/..." is not scanned to its end each time.
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
    if (!is_mixed(all, longest) && (place == SecretPlace::path || !is_one_case(longest))) return 0;
    while (length < text.size() && belongs(text[length])) ++length;
    while (length < text.size() && text[length] == '=') ++length;
    return length;
}

}  // namespace holdfast
