// Hides what looks like a key, a token or a password before it is stored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace holdfast {

// The command with secret values replaced by `***`: `--api-key=V`, `--token V`, `API_TOKEN=V`,
// well-known key shapes (hf_..., sk-..., ghp_..., AKIA..., JWTs), passwords in URLs. `--tokenizer
// gpt2`, `--max-tokens 512` and paths stay as they are.
std::vector<std::string> mask_command(const std::vector<std::string>& argv);

// The same for running text (a line of output, a whole command line, a process's name).
std::string mask_text(std::string_view text);

// The command as a person would type it, quoted for a shell where needed. Does not mask.
std::string command_line(const std::vector<std::string>& argv);

}  // namespace holdfast
