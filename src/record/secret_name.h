// Whether a name says that its value is a secret: --api-key, HF_TOKEN, PGPASSWORD, db.password; not
// --tokenizer, not --max-tokens, not --password-file.
#pragma once

#include <string_view>

namespace holdfast {

bool is_secret_name(std::string_view name);

// Names that announce a secret only with a value to match: `--pass`, `--auth`, `--key`, `sig`.
// `--pass 2`, `--auth basic` and `--key label` are not about secrets.
bool is_secret_pair(std::string_view name, std::string_view value);

// Values that say nothing even under such a name: `--use-auth-token True`.
bool is_harmless_value(std::string_view value);

}  // namespace holdfast
