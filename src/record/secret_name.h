// Recognises secrets by what stands before them: a telling name, or a short option of a well-known
// client.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace holdfast {

// Whether a name says that its value is a secret: --api-key, HF_TOKEN, PGPASSWORD, db.password; not
// --tokenizer, not --max-tokens, not --password-file.
bool is_secret_name(std::string_view name);

// Names that announce a secret only with a value to match: `--pass`, `--auth`, `--key`, `sig`.
// `--pass 2`, `--auth basic` and `--key label` are not about secrets.
bool is_secret_pair(std::string_view name, std::string_view value);

// Values that say nothing even under such a name: `--use-auth-token True`.
bool is_harmless_value(std::string_view value);

// Secrets after the short options of well-known clients: mysql -pV, sshpass -p V, curl -u user:V.
// The same letters mean a port or a path elsewhere, so the client's name decides.
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
