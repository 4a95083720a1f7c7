#include "record/secret_option.h"

#include <algorithm>
#include <iterator>

namespace holdfast {
namespace {

struct ClientOption {
    std::string_view client;
    std::string_view option;
    char after;       // '\0': the whole value
    bool only_glued;  // `-p` alone prompts for the password, and the next word is something else
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
// Programs that a client starts: what follows is theirs (`sshpass -p V ssh -p 22 host`).
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
