// Parses a command line by a table of what each verb takes. The same table makes the help text and
// the error messages.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::cli {

struct Option {
    std::string_view name;   // "--verdict"
    std::string_view value;  // what it takes, for the help: "FILE"; empty: a switch
    std::string_view help;
};

enum class Words { none, at_most_one, at_most_two, a_command, any };

struct Verb {
    std::string_view name;     // "run"
    std::string_view usage;    // "run [options] -- COMMAND..."
    std::string_view summary;  // one line
    std::string_view text;     // a paragraph or two
    std::span<const Option> options;
    Words words = Words::none;
    std::string_view examples;
};

struct Arguments {
    bool help = false;
    std::map<std::string, std::string, std::less<>> options;  // switches have an empty value
    std::vector<std::string> words;
    bool dashes = false;  // "--" stood before the last words

    bool has(std::string_view option) const { return options.contains(option); }
    std::optional<std::string> get(std::string_view option) const;
};

// An Error is bad usage, in one line that says what to do.
Result<Arguments> parse(const Verb& verb, std::span<const std::string> input);

std::string help_of(const Verb& verb);

}  // namespace holdfast::cli
