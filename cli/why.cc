// holdfast why: the verdict of a run, finished, lost or still going.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/json.h"
#include "base/read_file.h"
#include "evidence/agent_memory.h"
#include "judge/judge.h"
#include "jupyter/cell_names.h"
#include "model/json.h"
#include "present/notebook_message.h"
#include "present/style.h"
#include "present/terminal_verdict.h"
#include "record/agent_box.h"
#include "record/agent_format.h"
#include "record/run_list.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::array why_options{
    Option{"--json", "", "the verdict as JSON"},
    Option{"--brief", "", "the verdict in one line, as notifications show it"},
    Option{"--html", "", "the verdict as a small HTML panel, as notebooks show it"},
    Option{"--evidence", "", "all evidence behind the verdict, as JSON"},
    Option{"--sites", "", "every line that ever held memory, as JSON; %%memory reads it"},
    Option{"--again", "",
           "judge the record again, instead of showing the verdict made at the run's end"},
};

// The verdict on evidence that `--evidence` saved, on this machine or another.
std::optional<Result<Verdict>> verdict_of_saved(const std::string& word) {
    struct stat found {};
    if (word.empty() || ::stat(word.c_str(), &found) != 0 || !S_ISREG(found.st_mode))
        return std::nullopt;
    const auto text = read_file(word);
    if (!text) return text.error();
    const auto evidence = evidence_from_json(*text);
    if (!evidence) return Error{word + " is no saved evidence: " + evidence.error().text};
    return judge(*evidence);
}

Json frames_to_json(const AgentRecord& agent, const FrameNumbers& stack) {
    Json list = Json::list();
    for (const Frame& frame : frames_of(agent, stack)) {
        Json one = Json::object({{"file", frame.file}});
        if (frame.line) one["line"] = *frame.line;
        list.push_back(std::move(one));
    }
    return list;
}

// Every line of every process that ever held memory, as JSON, for `%%memory`. Unlike the evidence,
// it also has small amounts and memory that was given back.
std::string site_list(const RunRecord& record) {
    Json agents = Json::list();
    for (const AgentRecord& agent : record.agents) {
        Json sites = Json::list();
        for (const AgentSiteRecord& site : agent.memory.sites)
            sites.push_back(Json::object({{"frames", frames_to_json(agent, site.stack)},
                                          {"live", site.live_bytes},
                                          {"peak", site.peak_bytes},
                                          {"gpu", (site.flags & format::site_gpu) != 0}}));
        agents.push_back(Json::object({{"pid", agent.pid},
                                       {"lines_readable", agent.lines_readable},
                                       {"sites", std::move(sites)}}));
    }
    return Json::object({{"agents", std::move(agents)}}).dump() + '\n';
}

int show(const Arguments& arguments, const Result<Verdict>& verdict) {
    if (!verdict) {
        complain(verdict.error().text);
        return exit_failure;
    }
    if (arguments.has("--brief")) {
        const bool running = verdict->outcome == Outcome::running;
        print((running ? "still running" : notebook_message(*verdict).headline) + '\n');
        return 0;
    }
    if (arguments.has("--html")) {
        print(notebook_panel(*verdict) + '\n');
        return 0;
    }
    print(arguments.has("--json")
              ? to_json(*verdict)
              : terminal_verdict(*verdict, style_for(STDOUT_FILENO, terminal_environment())));
    return 0;
}

}  // namespace

const Verb why_verb{
    .name = "why",
    .usage = "why [RUN] [--json | --brief]",
    .summary = "why a run died; without RUN, the last one",
    .text =
        "Says how a run ended, why, on what evidence, and what to change. RUN is an id, the\n"
        "beginning of an id, a --name, a directory, or a file that --evidence wrote; by default\n"
        "it is the last run. Also works while a run is still going, and after its supervisor was\n"
        "killed.",
    .options = why_options,
    .words = Words::at_most_one,
    .examples =
        "  holdfast why\n"
        "  holdfast why nightly --json\n"
        "  holdfast why 20261115-04 | less\n"
        "  holdfast why --evidence nightly >saved.json; holdfast why saved.json\n",
};

int why(const Arguments& arguments) {
    const std::string word = arguments.words.empty() ? "" : arguments.words[0];
    if (const auto saved = verdict_of_saved(word)) return show(arguments, *saved);
    const auto directory = find_run(search_homes(HomeFacts::of_process()), word);
    if (!directory) {
        complain(directory.error().text);
        return directory.error().number == ENOENT ? exit_no_run : exit_failure;
    }
    if (arguments.has("--evidence") || arguments.has("--sites")) {
        const auto record = settled_record(*directory);
        if (!record) {
            complain(record.error().text);
            return exit_failure;
        }
        if (arguments.has("--sites")) {
            print(site_list(*record));
            return 0;
        }
        Evidence evidence = evidence_of(*record);
        if (record->cells) name_cells(evidence, *record->cells);
        print(to_json(evidence));
        return 0;
    }
    return show(arguments,
                verdict_of(*directory, arguments.has("--again") ? Judge::again : Judge::once));
}

}  // namespace holdfast::cli
