// holdfast runs: lists the recorded runs, newest first, and removes old ones.
#include <unistd.h>

#include <array>

#include "base/format.h"
#include "judge/judge.h"
#include "present/runs_table.h"
#include "present/style.h"
#include "record/mask.h"
#include "record/run_list.h"
#include "suggestion.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::array runs_options{
    Option{"--json", "", "as JSON"},
    Option{"--ids", "", "the ids alone, one a line"},
};

RunRow unreadable(const RunEntry& entry) {
    RunRow row;
    row.id = entry.id;
    row.directory = entry.path;
    row.outcome = "unreadable";
    return row;
}

RunRow row_of(const RunEntry& entry) {
    const auto directory = RunDirectory::open(entry.path);
    if (!directory) return unreadable(entry);
    const auto verdict = verdict_of(*directory);
    if (!verdict) return unreadable(entry);
    RunRow row;
    row.id = entry.id;
    row.directory = entry.path;
    row.name = verdict->run.name;
    row.command = command_line(verdict->run.command);
    row.started_wall = verdict->run.started_wall;
    if (verdict->run.ended_wall) row.duration = *verdict->run.ended_wall - row.started_wall;
    row.outcome = name_of(verdict->outcome);
    if (verdict->outcome != Outcome::running) row.cause = verdict->root.cause->slug;
    row.live = directory->is_live();
    return row;
}

int prune_runs(const std::vector<std::string>& homes) {
    const Pruned pruned = prune(homes);
    for (const std::string& failure : pruned.failures) complain(failure);
    print(formatted("removed {} {}, {} freed\n", pruned.removed,
                    pruned.removed == 1 ? "run" : "runs", human(pruned.freed)));
    return pruned.failures.empty() ? 0 : exit_failure;
}

}  // namespace

const Verb runs_verb{
    .name = "runs",
    .usage = "runs [--json] | runs prune",
    .summary = "the recorded runs, newest first; `runs prune` removes old ones",
    .text =
        "Lists the recorded runs. `holdfast runs prune` keeps the last 20 that ended well, the\n"
        "last 20 others (1 GiB at most) and those still going, and removes the rest. The end of\n"
        "every run does the same.",
    .options = runs_options,
    .words = Words::at_most_one,
    .examples =
        "  holdfast runs\n"
        "  holdfast runs prune\n",
};

int runs(const Arguments& arguments) {
    const auto homes = search_homes(HomeFacts::of_process());
    if (!arguments.words.empty()) {
        if (arguments.words[0] == "prune") return prune_runs(homes);
        constexpr std::array<std::string_view, 1> known{"prune"};
        complain(formatted("unknown argument '{}'; {}say: holdfast runs, or holdfast runs prune",
                           arguments.words[0], did_you_mean(arguments.words[0], known)));
        return exit_usage;
    }
    const std::vector<RunEntry> entries = list_runs(homes);
    if (arguments.has("--ids")) {
        std::string ids;
        for (const RunEntry& entry : entries) ids += entry.id + '\n';
        print(ids);
        return 0;
    }
    std::vector<RunRow> rows;
    rows.reserve(entries.size());
    for (const RunEntry& entry : entries) rows.push_back(row_of(entry));
    print(arguments.has("--json")
              ? runs_json(rows)
              : runs_table(rows, style_for(STDOUT_FILENO, terminal_environment())));
    return 0;
}

}  // namespace holdfast::cli
