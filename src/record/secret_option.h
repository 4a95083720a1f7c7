// Secrets after the short options of well-known clients: mysql -pV, sshpass -p V, curl -u user:V.
// The same letters mean a port or a path elsewhere, so the client's name decides.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace holdfast {

struct SecretOption {
    std::size_t length = 0;  // of the option, its '=' included
    bool apart = false;      // the value is the next word
    char after = '\0';       // only what follows this character is secret: user:V
};

// A program whose options are known here, by the last part of its path.
bool is_known_client(std::string_view word);

// The option of `client` that `argument` begins with, if it announces a secret.
std::optional<SecretOption> secret_option(std::string_view client, std::string_view argument);

// Where the secret begins in the option's value; npos where there is none.
std::size_t secret_start(const SecretOption& option, std::string_view value);

}  // namespace holdfast
