// Recognises secrets by what stands before them: a telling name, or a short option of a well-known
// client.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace holdfast {

// Whether a value of this name is a secret: --api-key, HF_TOKEN, PGPASSWORD, db.password; but not
// of --tokenizer, --max-tokens, --password-file.
bool is_secret_name(std::string_view name);

// Also knows names that announce a secret only with certain values: `--pass`, `--auth`, `--key`,
// `sig`. `--pass 2`, `--auth basic` and `--key label` are no secrets.
bool is_secret_pair(std::string_view name, std::string_view value);

// Values that are no secret even under such a name: `--use-auth-token True`.
bool is_harmless_value(std::string_view value);

// A secret after a short option of a well-known client: mysql -pV, sshpass -p V, curl -u user:V.
// Elsewhere the same letters mean a port or a path, so the client decides.
struct SecretOption {
    std::size_t length = 0;  // of the option, with its '='
    bool apart = false;      // the value is the next word
    char after = '\0';       // only the part behind this character is secret: user:V
};

// Whether the options of this program are known here, by its file name.
bool is_known_client(std::string_view word);

// The option of `client` at the beginning of `argument`, if a secret follows it.
std::optional<SecretOption> secret_option(std::string_view client, std::string_view argument);

// Where the secret begins in the option's value; npos where there is none.
std::size_t secret_start(const SecretOption& option, std::string_view value);

}  // namespace holdfast
