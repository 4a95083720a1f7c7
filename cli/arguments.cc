#include "arguments.h"

#include <algorithm>

#include "base/format.h"
#include "suggestion.h"

namespace holdfast::cli {
namespace {

const Option* find(const Verb& verb, std::string_view name) {
    for (const Option& option : verb.options)
        if (option.name == name) return &option;
    return nullptr;
}

std::string hint(const Verb& verb) { return formatted("see: holdfast {} --help", verb.name); }

std::string suggestion(const Verb& verb, std::string_view name) {
    std::vector<std::string_view> names;
    for (const Option& option : verb.options) names.push_back(option.name);
    return did_you_mean(name, names);
}

}  // namespace

std::optional<std::string> Arguments::get(std::string_view option) const {
    const auto found = options.find(option);
    return found == options.end() ? std::nullopt : std::optional(found->second);
}

Result<Arguments> parse(const Verb& verb, std::span<const std::string> input) {
    Arguments arguments;
    std::size_t next = 0;
    for (; next < input.size(); ++next) {
        const std::string& word = input[next];
        if (word == "--") {
            arguments.dashes = true;
            ++next;
            break;
        }
        if (word.size() < 2 || word[0] != '-') {
            // From the command's first word on, every word belongs to the command.
            if (verb.words == Words::a_command) break;
            arguments.words.push_back(word);
            continue;
        }
        if (word == "--help" || word == "-h") {
            arguments.help = true;
            return arguments;
        }
        const std::size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        const Option* option = find(verb, name);
        if (option == nullptr)
            return Error{
                formatted("unknown option {}; {}{}", name, suggestion(verb, name), hint(verb))};
        if (option->value.empty()) {
            if (equals != std::string::npos)
                return Error{formatted("{} takes no value; {}", name, hint(verb))};
            arguments.options[name] = "";
        } else if (equals != std::string::npos) {
            arguments.options[name] = word.substr(equals + 1);
        } else if (next + 1 < input.size() && input[next + 1] != "--") {
            arguments.options[name] = input[++next];
        } else {
            return Error{
                formatted("{} needs a value: {} {}; {}", name, name, option->value, hint(verb))};
        }
    }
    arguments.words.insert(arguments.words.end(), input.begin() + static_cast<std::ptrdiff_t>(next),
                           input.end());
    if (verb.words == Words::none && !arguments.words.empty())
        return Error{formatted("unexpected argument '{}'; {}", arguments.words[0], hint(verb))};
    if (verb.words == Words::at_most_one && arguments.words.size() > 1)
        return Error{formatted("unexpected argument '{}'; {}", arguments.words[1], hint(verb))};
    if (verb.words == Words::at_most_two && arguments.words.size() > 2)
        return Error{formatted("unexpected argument '{}'; {}", arguments.words[2], hint(verb))};
    return arguments;
}

std::string help_of(const Verb& verb) {
    std::string help = formatted("usage: holdfast {}\n\n{}\n", verb.usage, verb.text);
    std::size_t width = sizeof "--help" - 1;
    const auto label = [](const Option& option) {
        return option.value.empty() ? std::string(option.name)
                                    : formatted("{} {}", option.name, option.value);
    };
    for (const Option& option : verb.options) width = std::max(width, label(option).size());
    help += "\noptions:\n";
    for (const Option& option : verb.options)
        help += formatted("  {:<{}}  {}\n", label(option), width, option.help);
    help += formatted("  {:<{}}  {}\n", "--help", width, "show this");
    if (!verb.examples.empty()) help += formatted("\nexamples:\n{}", verb.examples);
    return help;
}

}  // namespace holdfast::cli
