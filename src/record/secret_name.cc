#include "record/secret_name.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.h"

namespace holdfast {
namespace {

template <std::size_t N>
bool among(std::string_view word, const std::string_view (&words)[N]) {
    return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

constexpr char lower_letter(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }

// "--HF_apiKey" has the words hf, api, key.
std::vector<std::string> words_of(std::string_view name) {
    std::vector<std::string> words(1);
    char before = '\0';
    for (const char c : name) {
        const bool part = is_lower(c) || is_upper(c) || is_digit(c);
        if ((!part || (is_upper(c) && is_lower(before))) && !words.back().empty())
            words.emplace_back();
        if (part) words.back() += lower_letter(c);
        before = c;
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

constexpr std::string_view secret_words[] = {
    "secret",     "secrets", "credential", "credentials", "creds",     "secretkey",    "privatekey",
    "accountkey", "privkey", "pswd",       "psw",         "pw",        "passcode",     "jwt",
    "webhook",    "dsn",     "cookie",     "cookies",     "sessionid", "authorization"};
// PGPASSWORD, VNCPASSWD, SSHPASS are one word.
constexpr std::string_view secret_word_ends[] = {"password", "passwd",    "passphrase", "apikey",
                                                 "sshpass",  "userpass",  "dbpass",     "rootpass",
                                                 "keypass",  "storepass", "adminpass"};
// --db-pass is a password; --first-pass is none.
constexpr std::string_view pass_owners[] = {
    "db",    "user",   "sftp", "ftp",     "http",     "https",    "proxy", "smtp",
    "imap",  "mysql",  "pg",   "redis",   "root",     "admin",    "login", "ssh",
    "key",   "store",  "mail", "ldap",    "vnc",      "rpc",      "mqtt",  "auth",
    "basic", "become", "sudo", "service", "postgres", "database", "mongo"};
// With these at the end it is about a secret without being one.
constexpr std::string_view harmless_ends[] = {
    "file",    "files",   "path",   "dir",    "directory", "env",       "name",  "names",
    "prompt",  "id",      "stdin",  "length", "len",       "policy",    "type",  "store",
    "backend", "manager", "size",   "min",    "max",       "column",    "field", "dataset",
    "jar",     "version", "expiry", "ttl",    "enabled",   "algorithm", "count", "num"};
constexpr std::string_view secret_keys[] = {
    "api",      "access",     "secret",    "private",   "auth",      "account",      "encryption",
    "signing",  "master",     "license",   "kaggle",    "storage",   "subscription", "deploy",
    "wandb",    "openai",     "anthropic", "comet",     "neptune",   "mlflow",       "clearml",
    "hf",       "hub",        "cohere",    "groq",      "mistral",   "replicate",    "together",
    "stripe",   "twilio",     "sendgrid",  "mailgun",   "datadog",   "sentry",       "pinecone",
    "azure",    "aws",        "gcp",       "google",    "gemini",    "service",      "client",
    "ssh",      "rsa",        "gpg",       "pgp",       "hmac",      "aes",          "shared",
    "session",  "decryption", "consumer",  "webhook",   "app",       "ngc",          "nvidia",
    "deepseek", "perplexity", "fireworks", "langsmith", "langchain", "serpapi",      "tavily"};
// Keys of data: NAME_KEY in capitals is a secret but for these.
constexpr std::string_view data_keys[] = {
    "sort",   "primary", "foreign", "cache",   "group", "partition", "image",  "label",
    "public", "text",    "data",    "feature", "input", "output",    "query",  "join",
    "shard",  "metric",  "loss",    "target",  "dict",  "state",     "config", "row"};
// The tokens of language models.
constexpr std::string_view text_tokens[] = {
    "pad",         "eos",     "bos",   "unk",        "mask",        "sep",     "cls",
    "special",     "stop",    "start", "end",        "image",       "video",   "audio",
    "next",        "first",   "last",  "class",      "placeholder", "trigger", "modifier",
    "initializer", "decoder", "per",   "prefix",     "suffix",      "begin",   "prompt",
    "text",        "eot",     "im",    "unexpected", "forced",      "sub"};
// What stands after --auth and the like as the name of a way.
constexpr std::string_view auth_ways[] = {
    "basic", "bearer",   "digest", "oauth", "oauth2", "none",      "md5",  "ntlm",    "kerberos",
    "ldap",  "password", "token",  "login", "plain",  "trust",     "peer", "ident",   "required",
    "sasl",  "scram",    "ssl",    "tls",   "key",    "anonymous", "auto", "default", "optional"};

bool has_letter(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return is_lower(lower_letter(c)); });
}
bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }

// Long, of one piece, letters and digits mixed: no name a person gives.
bool looks_like_a_key(std::string_view value) {
    return value.size() >= 16 && has_letter(value) && has_digit(value) &&
           value.find_first_of(" \t\r\n/\\<>(){}[]") == std::string_view::npos;
}

bool ends_like_a_secret(std::string_view word) {
    return std::any_of(std::begin(secret_word_ends), std::end(secret_word_ends),
                       [&](std::string_view end) { return word.ends_with(end); });
}

// Tokens of services. "mytoken" counts, "subtoken" does not; nor does "token" after <pad>'s words.
bool is_token(std::string_view word, std::string_view before) {
    if (!word.ends_with("token")) return false;
    const std::string_view glued = word.substr(0, word.size() - 5);
    return !among(glued.empty() ? before : glued, text_tokens);
}

std::string_view one_but_last(const std::vector<std::string>& words) {
    return words.size() > 1 ? std::string_view(words[words.size() - 2]) : std::string_view();
}

}  // namespace

bool is_secret_name(std::string_view name) {
    const std::vector<std::string> words = words_of(name);
    if (words.empty() || among(words.back(), harmless_ends)) return false;
    for (const std::string& word : words)
        if (among(word, secret_words) || ends_like_a_secret(word)) return true;
    const std::string_view before = one_but_last(words);
    if (is_token(words.back(), before)) return true;
    if (words.back() == "key") {
        if (among(before, secret_keys)) return true;
        return !before.empty() && std::none_of(name.begin(), name.end(), is_lower) &&
               !among(before, data_keys);
    }
    // PWD alone is the working directory.
    if (words.back() == "pass")
        return among(before, pass_owners) ||
               (!before.empty() && std::none_of(name.begin(), name.end(), is_lower));
    if (words.back() == "literal") return before == "from";  // kubectl create secret
    return words.back() == "pwd" && !before.empty();
}

bool is_secret_pair(std::string_view name, std::string_view value) {
    if (is_harmless_value(value)) return false;
    if (is_secret_name(name)) return true;
    const std::vector<std::string> words = words_of(name);
    if (words.empty()) return false;
    const std::string_view last = words.back();
    if (last == "pass" || last == "pin" || last == "otp") {
        const bool one_of_several = value.size() <= 3 && !has_letter(value);
        return words.size() == 1 ? !one_of_several : last == "pass" && looks_like_a_key(value);
    }
    if (last == "pwd") return !value.starts_with('/') && !value.starts_with('~');
    if (last == "auth" || last == "userpwd") {
        std::string way(value);
        std::transform(way.begin(), way.end(), way.begin(), lower_letter);
        return value.size() >= 4 && !value.starts_with('/') && !among(way, auth_ways);
    }
    if (last == "key" || last == "sig" || last == "signature" || last == "sas" || last == "session")
        return looks_like_a_key(value);
    return false;
}

bool is_harmless_value(std::string_view value) {
    std::string plain(value);
    std::transform(plain.begin(), plain.end(), plain.begin(), lower_letter);
    constexpr std::string_view harmless[] = {"",    "true", "false", "none", "null",
                                             "yes", "no",   "0",     "1",    "***"};
    return among(plain, harmless);
}

}  // namespace holdfast
