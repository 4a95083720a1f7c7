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

// "--HF_apiKey" consists of the words hf, api and key.
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
// PGPASSWORD, VNCPASSWD and SSHPASS are single words: look at their ends.
constexpr std::string_view secret_word_ends[] = {"password", "passwd",    "passphrase", "apikey",
                                                 "sshpass",  "userpass",  "dbpass",     "rootpass",
                                                 "keypass",  "storepass", "adminpass"};
// --db-pass is a password; --first-pass is not.
constexpr std::string_view pass_owners[] = {
    "db",    "user",   "sftp", "ftp",     "http",     "https",    "proxy", "smtp",
    "imap",  "mysql",  "pg",   "redis",   "root",     "admin",    "login", "ssh",
    "key",   "store",  "mail", "ldap",    "vnc",      "rpc",      "mqtt",  "auth",
    "basic", "become", "sudo", "service", "postgres", "database", "mongo"};
// A name with one of these at its end is about a secret, but its value is not one.
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
// Kinds of keys that are data: any other NAME_KEY in capitals is a secret.
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
// Methods of authentication: as the value of --auth they are no secret.
constexpr std::string_view auth_ways[] = {
    "basic", "bearer",   "digest", "oauth", "oauth2", "none",      "md5",  "ntlm",    "kerberos",
    "ldap",  "password", "token",  "login", "plain",  "trust",     "peer", "ident",   "required",
    "sasl",  "scram",    "ssl",    "tls",   "key",    "anonymous", "auto", "default", "optional"};

bool has_letter(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return is_lower(lower_letter(c)); });
}
bool has_digit(std::string_view text) { return std::any_of(text.begin(), text.end(), is_digit); }

// Long, in one piece, with letters and digits: not a name that a person gives.
bool looks_like_a_key(std::string_view value) {
    return value.size() >= 16 && has_letter(value) && has_digit(value) &&
           value.find_first_of(" \t\r\n/\\<>(){}[]") == std::string_view::npos;
}

bool ends_like_a_secret(std::string_view word) {
    return std::any_of(std::begin(secret_word_ends), std::end(secret_word_ends),
                       [&](std::string_view end) { return word.ends_with(end); });
}

// Tokens of services: "mytoken" counts, but not "subtoken", nor "token" after a language model's
// word such as pad.
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

namespace {

struct ClientOption {
    std::string_view client;
    std::string_view option;
    char after;       // '\0': the whole value
    bool only_glued;  // `-p` alone asks for the password, so the next word is no secret
};

// clang-format off
constexpr ClientOption options[] = {
    {"mysql", "-p", '\0', true},          {"mysqldump", "-p", '\0', true},
    {"mysqladmin", "-p", '\0', true},     {"mysqlimport", "-p", '\0', true},
    {"mysqlsh", "-p", '\0', true},        {"mariadb", "-p", '\0', true},
    {"mariadb-dump", "-p", '\0', true},   {"mariadb-admin", "-p", '\0', true},
    {"7z", "-p", '\0', true},             {"7za", "-p", '\0', true},
    {"sshpass", "-p", '\0', false},       {"redis-cli", "-a", '\0', false},
    {"mongo", "-p", '\0', false},         {"mongosh", "-p", '\0', false},
    {"mongodump", "-p", '\0', false},     {"mongorestore", "-p", '\0', false},
    {"mongoimport", "-p", '\0', false},   {"mongoexport", "-p", '\0', false},
    {"cqlsh", "-p", '\0', false},         {"beeline", "-p", '\0', false},
    {"ldapsearch", "-w", '\0', false},    {"ldapmodify", "-w", '\0', false},
    {"ldapadd", "-w", '\0', false},       {"ldapdelete", "-w", '\0', false},
    {"ldapwhoami", "-w", '\0', false},    {"ldappasswd", "-s", '\0', false},
    {"sqlcmd", "-P", '\0', false},        {"bcp", "-P", '\0', false},
    {"zip", "-P", '\0', false},           {"unzip", "-P", '\0', false},
    {"ipmitool", "-P", '\0', false},      {"mosquitto_pub", "-P", '\0', false},
    {"mosquitto_sub", "-P", '\0', false}, {"snmpwalk", "-A", '\0', false},
    {"snmpwalk", "-X", '\0', false},      {"snmpget", "-A", '\0', false},
    {"login", "-p", '\0', false},         {"openssl", "-passin", '\0', false},
    {"openssl", "-passout", '\0', false}, {"openssl", "-pass", '\0', false},
    {"openssl", "-k", '\0', false},       {"keytool", "-storepass", '\0', false},
    {"keytool", "-keypass", '\0', false}, {"curl", "-u", ':', false},
    {"curl", "--user", ':', false},       {"curl", "-U", ':', false},
    {"curl", "--proxy-user", ':', false}, {"curl", "-b", '=', false},
    {"curl", "--oauth2-bearer", '\0', false},
    {"http", "-a", ':', false},           {"https", "-a", ':', false},
    {"xh", "-a", ':', false},             {"lftp", "-u", ',', false},
    {"smbclient", "-U", '%', false},      {"rpcclient", "-U", '%', false},
};
// Programs that a client starts: options that follow belong to them (`sshpass -p V ssh -p 22
// host`).
constexpr std::string_view others[] = {"ssh", "scp", "sftp", "rsync", "docker", "psql", "python",
                                       "python3", "torchrun", "git", "wget"};
// clang-format on

}  // namespace

bool is_known_client(std::string_view word) {
    return std::any_of(std::begin(options), std::end(options),
                       [&](const ClientOption& row) { return row.client == word; }) ||
           std::find(std::begin(others), std::end(others), word) != std::end(others);
}

std::optional<SecretOption> secret_option(std::string_view client, std::string_view argument) {
    if (client.empty() || !argument.starts_with('-')) return std::nullopt;
    for (const ClientOption& row : options) {
        if (row.client != client || !argument.starts_with(row.option)) continue;
        const std::string_view rest = argument.substr(row.option.size());
        const bool apart = rest.empty() || rest.front() == ' ' || rest.front() == '\t';
        if (apart && row.only_glued) continue;
        if (apart) return SecretOption{row.option.size(), true, row.after};
        if (rest.front() == '=') return SecretOption{row.option.size() + 1, false, row.after};
        if (row.option.size() == 2) return SecretOption{row.option.size(), false, row.after};
    }
    return std::nullopt;
}

std::size_t secret_start(const SecretOption& option, std::string_view value) {
    if (option.after == '\0') return value.empty() ? std::string_view::npos : 0;
    const std::size_t mark = value.find(option.after);
    if (mark == std::string_view::npos || mark + 1 == value.size()) return std::string_view::npos;
    return mark + 1;
}

}  // namespace holdfast
