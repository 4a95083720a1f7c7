#include "record/mask.h"

#include <algorithm>

#include "base/characters.h"
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

// Length of the beginning of `text` that has none of `ends` in it.
std::size_t until(std::string_view text, std::string_view ends) {
    return std::min(text.find_first_of(ends), text.size());
}
std::size_t spaces(std::string_view text) {
    return std::min(text.find_first_not_of(" \t"), text.size());
}

// Where something secret stands: so many bytes stay, so many are replaced.
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
    // A token alone before the '@'; git@ and s3 bucket names are short.
    if (user.size() >= 20) return {3, user.size()};
    return {};
}

// "Authorization: Bearer V", or "Bearer V" alone where V is long enough not to be a word.
Found secret_in_header(std::string_view text) {
    for (const std::string_view name : {"Authorization:", "authorization:"}) {
        if (!text.starts_with(name)) continue;
        std::size_t keep = name.size() + spaces(text.substr(name.size()));
        const std::size_t scheme = until(text.substr(keep), " \t\r\n\"'");
        const std::size_t gap = spaces(text.substr(keep + scheme));
        if (gap != 0) keep += scheme + gap;
        return {keep, until(text.substr(keep), "\r\n\"'")};
    }
    for (const std::string_view name : {"Bearer ", "bearer "})
        if (text.starts_with(name)) {
            const std::size_t length = until(text.substr(name.size()), " \t\r\n\"',;");
            if (length >= 16) return {name.size(), length};
        }
    return {};
}

// wandb login 0123...: forty characters that look like any commit hash elsewhere.
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

// NAME=V, NAME: V, "NAME": "V", --NAME V. `text` begins with a name, `before` stands in front.
Found secret_after_name(std::string_view text, char before) {
    std::size_t name = 0;
    while (name < text.size() && is_name(text[name])) ++name;
    if (!is_secret_name(text.substr(0, name))) return {name, 0};
    std::size_t at = name;
    const bool quoted_name = is_quote(before) && at < text.size() && text[at] == before;
    if (quoted_name) ++at;
    const std::size_t gap = spaces(text.substr(at));
    const char separator = at + gap < text.size() ? text[at + gap] : '\0';
    if (separator != '=' && separator != ':') {
        if (text.front() != '-' || gap == 0 || quoted_name) return {name, 0};
        at += gap;
        const Found value = value_at(text.substr(at));
        const std::string_view word = text.substr(at + value.keep, value.hide);
        if (word.starts_with('-') || is_harmless_value(word)) return {name, 0};
        return {at + value.keep, value.hide};
    }
    at += gap + 1;
    if (separator == '=' && at < text.size() && text[at] == '=') return {name, 0};  // a comparison
    at += spaces(text.substr(at));
    // "unexpected token: foo" is a sentence. Judged by its beginning: "token:token:..." must not
    // cost a scan to the end each time.
    const bool plain_colon =
        separator == ':' && !quoted_name && at < text.size() && !is_quote(text[at]);
    const Found start = value_at(text.substr(at, judged));
    const std::string_view word = text.substr(at + start.keep, start.hide);
    if (is_harmless_value(word)) return {name, 0};
    const bool sentence =
        plain_colon && (word.size() < 8 || std::none_of(word.begin(), word.end(), is_digit));
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

// NAME=V as one argument: V may hold blanks.
std::size_t secret_value_of_argument(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos) return std::string_view::npos;
    if (argument.substr(equals).starts_with("==")) return std::string_view::npos;  // pip's
    const std::string_view name = argument.substr(0, equals);
    if (name.find_first_of(" \t\r\n\"'") != std::string_view::npos || !is_secret_name(name))
        return std::string_view::npos;
    return is_harmless_value(argument.substr(equals + 1)) ? std::string_view::npos : equals + 1;
}

}  // namespace

std::string mask_text(std::string_view text) {
    std::string masked;
    masked.reserve(text.size());
    char before = '\0';
    while (!text.empty()) {
        const bool at_word = !is_alnum(before) && before != '_';
        Found found;
        if (at_word) found = {0, secret_shape_length(text)};
        if (found.hide == 0) found = secret_in_url(text);
        if (found.hide == 0 && at_word) found = secret_in_header(text);
        if (found.hide == 0 && at_word) found = secret_after_login(text);
        if (found.hide == 0 && !is_name(before) && is_name(text.front()))
            found = secret_after_name(text, before);
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
    bool value_follows = false;
    for (std::size_t i = 0; i < argv.size(); ++i) {
        const std::string& argument = argv[i];
        const bool option = argument.starts_with('-');
        if (value_follows && !option && !is_harmless_value(argument)) {
            masked.emplace_back(hidden);
            value_follows = false;
            continue;
        }
        value_follows = option && argument.find_first_of("= \n") == std::string::npos &&
                        is_secret_name(argument);
        if (const std::size_t value = secret_value_of_argument(argument);
            value != std::string_view::npos)
            masked.push_back(argument.substr(0, value) + std::string(hidden));
        else if (!option && argument.size() >= 32 && argument.find(' ') == std::string::npos &&
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
        // What is hidden cannot be typed back anyway: no quotes for its stars.
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
