#include "record/mask.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "record/secret_name.h"
#include "record/secret_shape.h"

namespace holdfast {
namespace {

constexpr std::string_view hidden = "***";
constexpr std::size_t judged = 256;

constexpr bool is_name(char c) {
    return is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '+';
}
constexpr bool is_quote(char c) { return c == '"' || c == '\''; }

// How many bytes at the start of `text` contain none of `ends`.
std::size_t until(std::string_view text, std::string_view ends) {
    return std::min(text.find_first_of(ends), text.size());
}
std::size_t spaces(std::string_view text) {
    return std::min(text.find_first_not_of(" \t"), text.size());
}

// A secret at the start of a text: how many bytes to keep, and how many to replace.
struct Found {
    std::size_t keep = 0;
    std::size_t hide = 0;
};

// The value at the start of `text`, within its quotes if it has them.
Found value_at(std::string_view text) {
    if (!text.empty() && is_quote(text.front()))
        return {1, until(text.substr(1), std::string_view(text.data(), 1))};
    return {0, until(text, " \t\r\n,;&|<>(){}[]\"'")};
}

// https://user:pass@host
Found secret_in_url(std::string_view text) {
    if (!text.starts_with("://")) return {};
    const std::string_view authority = text.substr(3, until(text.substr(3), "/?# \t\r\n\"'"));
    const std::size_t at = authority.rfind('@');
    if (at == std::string_view::npos) return {};
    const std::string_view user = authority.substr(0, at);
    const std::size_t colon = user.find(':');
    if (colon != std::string_view::npos) return {3 + colon + 1, user.size() - colon - 1};
    // A token alone in front of the '@'. Shorter names are harmless: git@, names of S3 buckets.
    if (user.size() >= 20) return {3, user.size()};
    return {};
}

// hooks.slack.com/services/V
Found secret_in_webhook(std::string_view text) {
    const std::size_t keep = webhook_prefix_length(text);
    if (keep == 0) return {};
    return {keep, until(text.substr(keep), " \t\r\n\"'<>)")};
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_with_in_any_case(std::string_view text, std::string_view lower_case) {
    return text.size() >= lower_case.size() &&
           std::equal(lower_case.begin(), lower_case.end(), text.begin(),
                      [](char wanted, char c) { return wanted == lower(c); });
}

// "Authorization: Bearer V", "Cookie: V", or "Bearer V" alone where V is long enough not to be a
// word.
Found secret_in_header(std::string_view text) {
    for (const std::string_view name : {"authorization:", "proxy-authorization:"}) {
        if (!starts_with_in_any_case(text, name)) continue;
        std::size_t keep = name.size() + spaces(text.substr(name.size()));
        const std::size_t scheme = until(text.substr(keep), " \t\r\n\"'");
        const std::size_t gap = spaces(text.substr(keep + scheme));
        if (gap != 0) keep += scheme + gap;
        return {keep, until(text.substr(keep), "\r\n\"'")};
    }
    for (const std::string_view name : {"cookie:", "set-cookie:"})
        if (starts_with_in_any_case(text, name)) {
            const std::size_t keep = name.size() + spaces(text.substr(name.size()));
            return {keep, until(text.substr(keep), "\r\n\"'")};
        }
    if (starts_with_in_any_case(text, "bearer ")) {
        const std::size_t length = until(text.substr(7), " \t\r\n\"',;");
        if (length >= 16) return {7, length};
    }
    if (starts_with_in_any_case(text, "basic ")) {
        const std::string_view word = text.substr(6, until(text.substr(6, judged), " \t\r\n\"',;"));
        const bool encoded = std::all_of(word.begin(), word.end(), [](char c) {
            return is_alnum(c) || c == '+' || c == '/' || c == '=';
        });
        const bool is_word = std::all_of(word.begin(), word.end(),
                                         [](char c) { return lower(c) == c && !is_digit(c); });
        if (word.size() >= 8 && encoded && !is_word)
            return {6, until(text.substr(6), " \t\r\n\"',;")};
    }
    return {};
}

// wandb login 0123...: elsewhere, forty such characters look like a commit hash.
Found secret_after_login(std::string_view text) {
    constexpr std::string_view login = "wandb login";
    if (!text.starts_with(login)) return {};
    const std::string_view start = text.substr(0, judged);
    const std::string_view line = start.substr(0, until(start, "\r\n"));
    std::size_t at = login.size();
    while (at < line.size()) {
        at += spaces(line.substr(at));
        const std::size_t length = until(line.substr(at), " \t;&|\"'");
        if (length >= 32 && line[at] != '-') return {at, length};
        at += std::max<std::size_t>(length, 1);
    }
    return {};
}

// NAME=V, NAME: V, "NAME": "V", --NAME V. `text` begins with a name; `before` is the character in
// front of it.
Found secret_after_name(std::string_view text, char before) {
    std::size_t name = 0;
    while (name < text.size() && is_name(text[name])) ++name;
    const std::string_view called = text.substr(0, std::min(name, judged));
    std::size_t at = name;
    const bool quoted_name = is_quote(before) && at < text.size() && text[at] == before;
    if (quoted_name) ++at;
    const std::size_t gap = spaces(text.substr(at));
    const char separator = at + gap < text.size() ? text[at + gap] : '\0';
    if (separator != '=' && separator != ':') {
        if (text.front() != '-' || gap == 0 || quoted_name) return {name, 0};
        at += gap;
        const Found value = value_at(text.substr(at));
        const std::string_view word = text.substr(at + value.keep, std::min(value.hide, judged));
        if (word.starts_with('-') || !is_secret_pair(called, word)) return {name, 0};
        return {at + value.keep, value.hide};
    }
    at += gap + 1;
    if (separator == '=' && at < text.size() && text[at] == '=') return {name, 0};  // a comparison
    at += spaces(text.substr(at));
    // "unexpected token: foo" is a sentence. Looks only at the beginning: "token:token:..." must
    // not be scanned to its end each time.
    const bool plain_colon =
        separator == ':' && !quoted_name && at < text.size() && !is_quote(text[at]);
    const Found start = value_at(text.substr(at, judged));
    const std::string_view word = text.substr(at + start.keep, start.hide);
    if (!is_secret_pair(called, word)) return {name, 0};
    // X-Api-Key: V is a header: nobody writes hyphens like this in a sentence.
    const bool header = called.find_first_of("-_") != std::string_view::npos;
    const bool sentence =
        plain_colon &&
        (word.size() < 8 || (!header && std::none_of(word.begin(), word.end(), is_digit)));
    if (sentence) return {name, 0};
    const Found value = value_at(text.substr(at));
    return {at + value.keep, value.hide};
}

bool is_wandb_login(const std::vector<std::string>& argv, std::size_t before) {
    bool wandb = false;
    for (std::size_t i = 0; i < before; ++i) {
        if (argv[i] == "wandb" || argv[i].ends_with("/wandb")) wandb = true;
        if (wandb && argv[i] == "login") return true;
    }
    return false;
}

// NAME=V in one argument: V may contain blanks.
std::size_t secret_value_of_argument(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos) return std::string_view::npos;
    if (argument.substr(equals).starts_with("==")) return std::string_view::npos;  // pip's `==`
    const std::string_view name = argument.substr(0, equals);
    if (name.find_first_of(" \t\r\n\"':/?") != std::string_view::npos ||
        !is_secret_pair(name, argument.substr(equals + 1)))
        return std::string_view::npos;
    return equals + 1;
}

// `text` begins with an option of `client`.
Found secret_after_option(std::string_view text, std::string_view client) {
    const auto option = secret_option(client, text);
    if (!option) return {};
    std::size_t at = option->length;
    if (option->apart) at += spaces(text.substr(at));
    const Found value = value_at(text.substr(at));
    const std::string_view word = text.substr(at + value.keep, value.hide);
    if (option->apart && word.starts_with('-')) return {};
    const std::size_t start = secret_start(*option, word);
    if (start == std::string_view::npos) return {};
    return {at + value.keep + start, value.hide - start};
}

constexpr std::string_view word_ends = " \t\r\n\"'`=,;|&<>(){}[]";

// The kind of word that begins here decides what a '/' in it means.
SecretPlace place_of(std::string_view text) {
    const std::string_view word = text.substr(0, until(text.substr(0, judged), word_ends));
    if (word.find("://") != std::string_view::npos) return SecretPlace::url;
    const bool path = word.starts_with('/') || word.starts_with("./") || word.starts_with("../") ||
                      word.starts_with('~');
    return path ? SecretPlace::path : SecretPlace::text;
}

// The known program that the word at the start of `text` names; else empty.
std::string_view client_at(std::string_view text) {
    const std::string_view word = text.substr(0, until(text.substr(0, 32), " \t\r\n;|&\"'()/"));
    return is_known_client(word) ? word : std::string_view();
}

// aws configure set aws_secret_access_key V
bool is_set_to_the_next(const std::vector<std::string>& argv, std::size_t at) {
    return at >= 1 && argv[at - 1] == "set" &&
           argv[at].find_first_of("= \n") == std::string::npos && is_secret_name(argv[at]);
}

}  // namespace

std::string mask_text(std::string_view text) {
    std::string masked;
    masked.reserve(text.size());
    char before = '\0';
    std::string_view client;
    SecretPlace place = place_of(text);
    const auto ends_word = [](char c) {
        return c == '\0' || word_ends.find(c) != std::string_view::npos;
    };
    const auto joins_token = [](char c) { return is_alnum(c) || c == '_' || c == '-' || c == '+'; };
    while (!text.empty()) {
        const bool at_word = !is_alnum(before) && before != '_';
        if (ends_word(before) && before != '\0') place = place_of(text);
        if (ends_word(before) || before == '/')
            if (const std::string_view known = client_at(text); !known.empty()) client = known;
        if (std::string_view(";|&\n").find(before) != std::string_view::npos && before != '\0')
            client = client_at(text);
        Found found;
        if (at_word) found = {0, secret_shape_length(text)};
        if (found.hide == 0) found = secret_in_url(text);
        if (found.hide == 0 && at_word) found = secret_in_webhook(text);
        if (found.hide == 0 && at_word) found = secret_in_header(text);
        if (found.hide == 0 && at_word) found = secret_after_login(text);
        if (found.hide == 0 && ends_word(before)) found = secret_after_option(text, client);
        if (found.hide == 0 && !is_name(before) && is_name(text.front()))
            found = secret_after_name(text, before);
        if (found.hide == 0 && !joins_token(before) && joins_token(text.front()))
            found = {0, random_token_length(text, place)};
        if (found.hide != 0) {
            masked += text.substr(0, found.keep);
            masked += hidden;
            text.remove_prefix(found.keep + found.hide);
            before = '*';
            continue;
        }
        before = text.front();
        masked += before;
        text.remove_prefix(1);
    }
    return masked;
}

std::vector<std::string> mask_command(const std::vector<std::string>& argv) {
    std::vector<std::string> masked;
    masked.reserve(argv.size());
    std::string_view client;
    std::string_view name;               // the next argument may be its secret
    std::optional<SecretOption> option;  // the same, for an option of a known client
    for (std::size_t i = 0; i < argv.size(); ++i) {
        const std::string& argument = argv[i];
        const bool is_option = argument.starts_with('-') && !argument.starts_with("-----");
        const std::string_view named = std::exchange(name, std::string_view());
        const auto chosen = std::exchange(option, std::nullopt);
        if (!is_option && !named.empty() && is_secret_pair(named, argument)) {
            masked.emplace_back(hidden);
            continue;
        }
        if (const std::size_t start =
                chosen && !is_option ? secret_start(*chosen, argument) : std::string::npos;
            start != std::string::npos) {
            masked.push_back(argument.substr(0, start) + std::string(hidden));
            continue;
        }
        if (const std::string_view known = base_name(argument); is_known_client(known))
            client = known;
        option = secret_option(client, argument);
        if (option && !option->apart) {
            const std::string_view value = std::string_view(argument).substr(option->length);
            const std::size_t start = secret_start(*option, value);
            if (start != std::string::npos) {
                masked.push_back(argument.substr(0, option->length + start) + std::string(hidden));
                option.reset();
                continue;
            }
        }
        if (option && !option->apart) option.reset();
        const bool announces = is_option && argument.find_first_of("= \n") == std::string::npos;
        if (announces || is_set_to_the_next(argv, i)) name = argument;
        if (const std::size_t value = secret_value_of_argument(argument);
            value != std::string_view::npos)
            masked.push_back(argument.substr(0, value) + std::string(hidden));
        else if (!is_option && argument.size() >= 32 && argument.find(' ') == std::string::npos &&
                 is_wandb_login(argv, i))
            masked.emplace_back(hidden);
        else
            masked.push_back(mask_text(argument));
    }
    return masked;
}

std::string command_line(const std::vector<std::string>& argv) {
    std::string line;
    for (const std::string& argument : argv) {
        if (!line.empty()) line += ' ';
        // A masked word cannot be typed again anyway, so its stars need no quotes.
        std::string plain = argument;
        for (std::size_t at = plain.find(hidden); at != std::string::npos; at = plain.find(hidden))
            plain.erase(at, hidden.size());
        constexpr std::string_view safe =
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
        const auto is_safe = [&](char c) {
            return safe.find(c) != std::string_view::npos ||
                   (static_cast<unsigned char>(c) >= 0x80);
        };
        if (!argument.empty() && std::all_of(plain.begin(), plain.end(), is_safe)) {
            line += argument;
            continue;
        }
        line += '\'';
        for (const char c : argument) {
            if (c == '\'')
                line += "'\\''";
            else
                line += c;
        }
        line += '\'';
    }
    return line;
}

}  // namespace holdfast
