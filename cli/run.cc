// holdfast run: the program under watch, and the verdict at a bad end.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/child.h"
#include "base/format.h"
#include "base/pipe.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "guard_options.h"
#include "judge/judge.h"
#include "kernel_end.h"
#include "model/json.h"
#include "present/style.h"
#include "present/terminal_verdict.h"
#include "record/run_list.h"
#include "say.h"
#include "silent_trouble.h"
#include "stall_notice.h"
#include "start_check.h"
#include "supervise/launch.h"
#include "supervise/rehearsal.h"
#include "supervise/supervisor.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::array options_of_run{
    Option{"--name", "NAME", "a name to find the run by: holdfast why NAME"},
    Option{"--quiet", "", "print nothing, not even a verdict"},
    Option{"--verdict", "FILE", "write the verdict as JSON to FILE"},
    Option{"--evidence", "FILE", "write the evidence as JSON to FILE; holdfast why FILE reads it"},
    Option{"--no-subreaper", "", "leave orphans to init, as without Holdfast"},
    Option{"--detach", "", "COMMAND keeps running if holdfast run is killed with SIGKILL"},
    Option{"--guard", "MODE",
           "near the memory limit: warn (default), on (a MemoryError, not a kill), off"},
    Option{"--guard-reserve", "SIZE", "how much memory the guard keeps free (1MiB to 32MiB)"},
    Option{"--guard-grace", "SECONDS",
           "end COMMAND if it is stuck this long after a refusal (30; 0: never)"},
    Option{"--stall-after", "SECONDS", "report when COMMAND is stuck this long (20; 0: never)"},
    Option{"--no-agent", "", "put nothing into the program: no Python lines, no native stacks"},
    Option{"--kernel", "FILE", "COMMAND is a Jupyter kernel with this connection file"},
};

// The command could not be started: worded and numbered as shells do.
int not_started(const std::string& command, const Error& error) {
    complain(
        formatted("{}: {}", command, error.number == ENOENT ? "command not found" : error.text));
    return error.number == ENOENT ? 127 : 126;
}

// It ended with 0, by itself or because it was asked to: nothing to report.
bool ended_well(const Verdict& verdict) {
    return verdict.outcome == Outcome::finished ||
           (verdict.exit.code == 0 &&
            (verdict.end.cause == "clean-exit"_cause || verdict.end.cause == "exit-called"_cause));
}

// The log of a notebook server gets what the user has not seen in the notebook.
void tell(const Verdict& verdict, KernelEnd::Said said, int fd) {
    if (said == KernelEnd::Said::nothing || ended_well(verdict)) return;
    if (said == KernelEnd::Said::later && deserves_full_panel(verdict))
        say("\n" + terminal_verdict(verdict, style_for(STDERR_FILENO, terminal_environment())), fd);
    else
        say(one_line_verdict(verdict), fd);
}

Status write_file(const std::string& path, const std::string& json) {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (!file) return Error::from_errno("cannot write " + path);
    if (!write_all(file.get(), json)) return Error::from_errno("cannot write " + path);
    return Done{};
}

// Writes where the user asked; a failure to write must not change how we end.
void write_asked(const Arguments& arguments, std::string_view option, const std::string& json) {
    const auto path = arguments.get(option);
    if (!path) return;
    if (const Status written = write_file(*path, json); !written && !arguments.has("--quiet"))
        complain(written.error().text);
}

// A supervisor that was killed together with its program (memory.oom.group does that) could not
// report it, so the next run does. Only on a terminal: elsewhere stderr belongs to the program
// alone.
void tell_of_lost_run(const HomeFacts& environment) {
    if (::isatty(STDERR_FILENO) != 1) return;
    const auto last = find_run(search_homes(environment), "last");
    if (!last || last->is_live()) return;
    if (::faccessat(last->fd(), run_file::verdict, F_OK, 0) == 0) return;
    // Writes the verdict now, so that this is reported only once.
    const auto verdict = verdict_of(*last);
    if (!verdict || verdict->outcome == Outcome::running ||
        !last->write_sealed(run_file::verdict, to_json(*verdict)))
        return;
    complain(
        formatted("the run before this one was lost together with its supervisor; see: "
                  "holdfast why {}",
                  last->id()));
}

// A child may crash and be gone before anybody sees it: then its crash record is all there is, and
// the run must keep it.
bool crashed(const RunRecord& record) {
    return std::any_of(record.crashes.begin(), record.crashes.end(),
                       [](const CrashRecord& crash) { return !crash.survived; });
}

void keep(const FinishedRun& finished, const RunRecord& record, const Verdict& verdict,
          const std::string& json) {
    if (!finished.directory) return;
    const Status written = finished.directory->write_sealed(run_file::verdict, json);
    const bool clean =
        verdict.outcome == Outcome::finished && verdict.contributing.empty() && !crashed(record);
    if (written && clean) (void)finished.directory->shrink();
    prune(search_homes(HomeFacts::of_process()));
}

// Zombies left here would pass to the init of a sandbox or container, which might take the status
// of the last one for the program's.
void leave_no_zombies() {
    while (const auto change = next_child_change())
        if (!take_child_change(*change)) break;
}

// `done`: the user has been told all there is to tell.
void say_why(const Arguments& arguments, FinishedRun& finished, std::optional<KernelEnd>& kernel,
             bool& done) {
    const bool quiet = arguments.has("--quiet");
    if (finished.unobserved) {
        if (!quiet) complain("no verdict: Holdfast failed while it watched");
        return;
    }
    if (kernel) kernel->prepare(finished);
    if (finished.directory && finished.wait_status != 0) await_start_check(*finished.directory);
    // Ends the errands before the record is read and tidied up: one may be writing into it.
    finished.errands.end_all();
    const auto record = finished.directory ? settled_record(*finished.directory) : finished.read();
    if (!record) {
        if (!quiet) complain("no verdict: " + record.error().text);
        return;
    }
    const Evidence evidence = evidence_of(*record);
    const Verdict verdict = judge(*record, evidence);
    const auto said = kernel ? kernel->speak(finished, *record, verdict) : KernelEnd::Said::later;
    if (!quiet) tell(verdict, said, finished.stderr_behind.get());
    done = true;
    const std::string json = to_json(verdict);
    write_asked(arguments, "--verdict", json);
    if (arguments.get("--evidence")) write_asked(arguments, "--evidence", to_json(evidence));
    keep(finished, *record, verdict, json);
}

}  // namespace

const Verb run_verb{
    .name = "run",
    .usage = "run [options] -- COMMAND [ARGUMENT]...",
    .summary = "run a command, watch it, and say why it died",
    .text =
        "Runs COMMAND and watches it and every process below it. COMMAND behaves as without\n"
        "Holdfast: same output, exit status, signals and terminal. If it ends badly, the verdict\n"
        "is printed on stderr and kept for `holdfast why`. HOLDFAST=0 in the environment\n"
        "switches everything off.",
    .options = options_of_run,
    .words = Words::a_command,
    .examples =
        "  holdfast run -- python train.py --epochs 10\n"
        "  holdfast run --name nightly -- torchrun --nproc_per_node 2 train.py\n"
        "  holdfast run --guard=on -- python train.py       a MemoryError instead of an OOM kill\n"
        "  holdfast run --verdict verdict.json --quiet -- ./train.sh\n",
};

int run(const Arguments& arguments) {
    if (arguments.words.empty()) {
        complain("no command given; say what to run: holdfast run -- python train.py");
        return exit_usage;
    }
    const auto guard = guard_options(arguments, [](const char* name) { return std::getenv(name); });
    if (!guard) {
        complain(guard.error().text);
        return exit_usage;
    }
    const char* off = std::getenv("HOLDFAST");
    if (off != nullptr && std::string_view(off) == "0")
        return not_started(arguments.words[0], replace_by(arguments.words));

    RunOptions run_options;
    run_options.command = arguments.words;
    run_options.name = arguments.get("--name").value_or("");
    run_options.subreaper = !arguments.has("--no-subreaper");
    run_options.detach = arguments.has("--detach");
    run_options.agent = !arguments.has("--no-agent") && filters_allow_agent();
    run_options.guard = *guard;
    run_options.version = HOLDFAST_VERSION;
    const bool quiet = arguments.has("--quiet");
    if (!filters_allow_watching()) {
        if (!quiet) complain("a seccomp filter forbids watching; the command runs on, unobserved");
        return not_started(arguments.words[0], replace_by(arguments.words));
    }
    std::optional<KernelEnd> kernel;
    if (const auto connection_file = arguments.get("--kernel")) kernel.emplace(*connection_file);
    run_options.kernel = kernel.has_value();
    if (const auto patience = arguments.get("--stall-after")) {
        const auto seconds = parse_number<unsigned>(*patience);
        if (!seconds || *seconds > 86'400) {
            complain(formatted("--stall-after {}: give whole seconds, 0 to 86400", *patience));
            return exit_usage;
        }
        run_options.stall_after = std::chrono::seconds(*seconds);
    }
    if (!quiet) {
        run_options.on_stall = tell_of_stall;
        run_options.on_filling = tell_of_filling;
        run_options.warn = [](const std::string& text) { complain(text); };
        tell_of_lost_run(run_options.environment);
    }
    run_options.on_start = [&](const RunDirectory& directory, pid_t command,
                               const std::string& place) {
        return check_at_start(directory, {arguments.words[0], command, place, !quiet});
    };
    auto finished = supervise(run_options);
    if (!finished) return not_started(arguments.words[0], finished.error());
    bool done = quiet;
    try {
        say_why(arguments, *finished, kernel, done);
    } catch (const std::bad_alloc&) {
        // The program's status is known. A failure of ours must not change it.
        if (!done) complain("no verdict: out of memory");
    } catch (const std::exception& failure) {
        if (!done) complain(std::string("no verdict: ") + failure.what());
    }
    finished->errands.end_all();
    leave_no_zombies();
    // VS Code shows an exit status, but no signal.
    if (kernel && WIFSIGNALED(finished->wait_status))
        ::_exit(128 + WTERMSIG(finished->wait_status));
    end_as(finished->wait_status);
}

}  // namespace holdfast::cli
