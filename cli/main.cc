// holdfast: finds the verb and passes it its arguments.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>

#include "base/format.h"
#include "base/pipe.h"
#include "base/text.h"
#include "suggestion.h"
#include "supervise/stderr_capture.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

struct Entry {
    const Verb* verb;
    int (*act)(const Arguments&);
};

constexpr std::array verbs{
    Entry{&run_verb, run},         Entry{&why_verb, why}, Entry{&runs_verb, runs},
    Entry{&explain_verb, explain}, Entry{&fit_verb, fit}, Entry{&kernel_verb, kernel},
    Entry{&check_verb, check},
};

std::string overview() {
    std::string text =
        "usage: holdfast VERB ...\n\n"
        "Watches a training program and says why it died.\n\n";
    for (const Entry& entry : verbs)
        text += formatted("  {:<9}{}\n", entry.verb->name, entry.verb->summary);
    return text +
           "\nstart with:\n"
           "  holdfast run -- python train.py\n"
           "  holdfast why\n"
           "\n`holdfast VERB --help` shows more; `holdfast --version` shows the version.\n";
}

int dispatch(const std::vector<std::string>& words) {
    if (words.empty()) {
        complain("no verb given; start with: holdfast run -- python train.py (or holdfast --help)");
        return exit_usage;
    }
    if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
        print(overview());
        return 0;
    }
    if (words[0] == "--version") {
        print("holdfast " HOLDFAST_VERSION "\n");
        return 0;
    }
    for (const Entry& entry : verbs) {
        if (entry.verb->name != words[0]) continue;
        const auto arguments = parse(*entry.verb, std::span(words).subspan(1));
        if (!arguments) {
            complain(arguments.error().text);
            return exit_usage;
        }
        if (arguments->help) {
            print(help_of(*entry.verb));
            return 0;
        }
        return entry.act(*arguments);
    }
    std::vector<std::string_view> names;
    names.reserve(verbs.size());
    for (const Entry& entry : verbs) names.push_back(entry.verb->name);
    complain(
        formatted("unknown verb '{}'; {}to run a program: holdfast run -- {} ...; all verbs: "
                  "holdfast --help",
                  words[0], did_you_mean(words[0], names), words[0]));
    return exit_usage;
}

}  // namespace

// Throws nothing: it is called where an exception would make main() run the command once more.
void complain(std::string_view text) {
    try {
        // A quoted argument may hold anything, but our message must stay one line of plain text.
        std::string line = printable(text);
        std::replace(line.begin(), line.end(), '\n', ' ');
        write_all(STDERR_FILENO, formatted("holdfast: {}\n", line));
    } catch (const std::exception&) {
        // No memory to make it safe for a terminal.
        const bool plain =
            std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
        write_all(STDERR_FILENO, "holdfast: ");
        write_all(STDERR_FILENO, plain ? text : "out of memory");
        write_all(STDERR_FILENO, "\n");
    }
}

void print(std::string_view text) { write_all(STDOUT_FILENO, text); }

}  // namespace holdfast::cli

int main(int argc, char** argv) {
    holdfast::occupy_closed_streams();
    try {
        return holdfast::cli::dispatch(
            std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    } catch (const std::exception& failure) {
        // Most likely there was no memory for our first steps. Run the command all the same.
        bool quiet = false;
        for (int i = 2; i + 1 < argc && std::string_view(argv[1]) == "run"; ++i) {
            if (std::string_view(argv[i]) == "--quiet") quiet = true;
            if (std::string_view(argv[i]) != "--") continue;
            if (!quiet)
                holdfast::write_all(STDERR_FILENO,
                                    "holdfast: out of memory; the command runs on, unobserved\n");
            ::execvp(argv[i + 1], argv + i + 1);
            break;
        }
        holdfast::write_all(STDERR_FILENO, failure.what());
        return holdfast::cli::exit_failure;
    }
}
