// Whether a name announces a secret: --api-key, HF_TOKEN, db.password; not --tokenizer, not
// --max-tokens, not --password-file.
#pragma once

#include <string_view>

namespace holdfast {

bool is_secret_name(std::string_view name);

// Values that say nothing even under such a name: `--use-auth-token True`.
bool is_harmless_value(std::string_view value);

}  // namespace holdfast
