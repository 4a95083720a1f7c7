// holdfast explain: one page about one cause.
#include <unistd.h>

#include <array>

#include "base/format.h"
#include "causes/cause_pages.h"
#include "model/cause.h"
#include "present/explanation.h"
#include "present/style.h"
#include "suggestion.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::array explain_options{
    Option{"--list", "", "every cause, one a line"},
};

std::string list() {
    std::string text;
    for (const Cause& cause : catalogue)
        text += formatted("{}  {:<22}  {}\n", cause.code, cause.slug, cause.meaning);
    return text;
}

}  // namespace

const Verb explain_verb{
    .name = "explain",
    .usage = "explain CODE",
    .summary = "what HF101 or cgroup-oom means, how it is recognised, what to do",
    .text = "Explains one cause of the catalogue, by its code or its name.",
    .options = explain_options,
    .words = Words::at_most_one,
    .examples =
        "  holdfast explain HF101\n"
        "  holdfast explain shm-full\n"
        "  holdfast explain --list\n",
};

int explain(const Arguments& arguments) {
    if (arguments.has("--list")) {
        print(list());
        return 0;
    }
    if (arguments.words.empty()) {
        complain("which cause? for example: holdfast explain HF101; all: holdfast explain --list");
        return exit_usage;
    }
    const auto cause = CauseId::find(arguments.words[0]);
    if (!cause) {
        std::vector<std::string_view> names;
        for (const Cause& known : catalogue) {
            names.push_back(known.slug);
            names.push_back(known.code);
        }
        complain(formatted("no cause '{}'; {}holdfast explain --list shows all of them",
                           arguments.words[0], did_you_mean(arguments.words[0], names)));
        return exit_usage;
    }
    const auto page = cause_page((*cause)->code);
    if (!page) {
        complain(formatted("there is no page about {}", (*cause)->code));
        return exit_failure;
    }
    print(explanation(*page, style_for(STDOUT_FILENO, terminal_environment())));
    return 0;
}

}  // namespace holdfast::cli
