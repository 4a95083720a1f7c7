#include "record/secret_name.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/characters.h"

namespace holdfast {
namespace {

template <std::size_t N>
bool among(std::string_view word, const std::string_view (&words)[N]) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// "--HF_apiKey" has the words hf, api, key.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    char before = '\0';
    for (const char c : name) {
        const bool part = is_lower(c) || is_upper(c) || is_digit(c);
        if ((!part || (is_upper(c) && is_lower(before))) && !words.back().empty())
            words.emplace_back();
        if (part) words.back() += lower(c);
        before = c;
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

constexpr std::string_view secret_words[] = {
    "password",  "passwd",      "passphrase", "secret",      "apikey",    "apitoken",
    "authtoken", "accesstoken", "credential", "credentials", "secretkey", "privatekey"};
// With these at the end it is about a secret without being one.
constexpr std::string_view harmless_ends[] = {
    "file",    "files",   "path",  "dir",    "directory", "env",    "name",  "names",
    "prompt",  "id",      "stdin", "length", "len",       "policy", "type",  "store",
    "backend", "manager", "size",  "min",    "max",       "column", "field", "dataset"};
constexpr std::string_view secret_keys[] = {
    "api",     "access", "secret",  "private", "auth",    "account",      "encryption",
    "signing", "master", "license", "kaggle",  "storage", "subscription", "deploy"};
// The tokens of language models.
constexpr std::string_view text_tokens[] = {
    "pad",    "eos",    "bos",         "unk",     "mask",     "sep",         "cls",     "special",
    "stop",   "start",  "end",         "image",   "video",    "audio",       "next",    "first",
    "last",   "class",  "placeholder", "trigger", "modifier", "initializer", "decoder", "per",
    "prefix", "suffix", "begin",       "prompt",  "text",     "eot",         "im"};

}  // namespace

bool is_secret_name(std::string_view name) {
    const std::vector<std::string> words = words_of(name);
    if (words.empty() || among(words.back(), harmless_ends)) return false;
    for (const std::string& word : words)
        if (among(word, secret_words)) return true;
    const std::string_view before =
        words.size() > 1 ? std::string_view(words[words.size() - 2]) : std::string_view();
    if (words.back() == "token") return !among(before, text_tokens);
    if (words.back() == "key") return among(before, secret_keys);
    // PWD alone is the working directory.
    return words.back() == "pwd" && !before.empty();
}

bool is_harmless_value(std::string_view value) {
    std::string plain(value);
    std::transform(plain.begin(), plain.end(), plain.begin(), lower);
    constexpr std::string_view harmless[] = {"",    "true", "false", "none", "null",
                                             "yes", "no",   "0",     "1",    "***"};
    return among(plain, harmless);
}

}  // namespace holdfast
