// holdfast check: what on this machine or in its environment will hurt a training, before it
// starts.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/format.h"
#include "base/read_file.h"
#include "base/text.h"
#include "base/time.h"
#include "check/gather.h"
#include "check/import_try.h"
#include "check/machine_sight.h"
#include "check/root_record.h"
#include "check/rule.h"
#include "present/check_page.h"
#include "present/style.h"
#include "record/mask.h"
#include "suggestion.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::array check_options{
    Option{"--json", "", "the findings as JSON"},
    Option{"--python", "PYTHON",
           "the Python to check (default: the active environment's, else python3)"},
    Option{"--for", "FRAMEWORK", "the framework that will run: torch, tensorflow or jax"},
    Option{"--import", "", "also import it, in a separate process, for at most a minute"},
    Option{"--import-limit", "SECONDS", "how long --import may take (default: 60)"},
    Option{"--record", "DIR", "save everything that was read to DIR, with names masked"},
    Option{"--root", "DIR", "check what --record saved, or a tree with proc/, sys/ and so on"},
    Option{"--list", "", "the names of all checks"},
};

constexpr std::array frameworks{"torch", "tensorflow", "jax"};
constexpr unsigned usual_import_seconds = 60;
constexpr std::size_t longest_record = 64U << 20U;

std::unique_ptr<check::Sight> sight_of_root(const std::string& root) {
    const auto text = read_file(root + '/' + std::string(check::root_file), longest_record);
    if (text) return check::recorded_sight(check::parse_root(*text));
    return check::machine_sight({.root = root});
}

check::Names own_names() {
    check::Names names;
    if (const char* home = std::getenv("HOME")) names.home = home;
    std::error_code failed;
    names.directory = std::filesystem::current_path(failed).string();
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0) names.host = host.data();
    return names;
}

// Other mounts would tell strangers about this machine: keep only those that a check reads.
std::string useful_mounts(std::string_view text) {
    std::string kept;
    while (const auto line = next_line(text)) {
        std::string_view rest = *line;
        for (int i = 0; i < 4; ++i) next_word(rest);
        const std::string_view point = next_word(rest).value_or("");
        const bool cgroup = rest.find(" - cgroup") != std::string_view::npos;
        if (cgroup || point == "/" || point == "/dev/shm" || point == "/tmp" || point == "/home")
            kept += std::string(*line) + '\n';
    }
    return kept;
}

// The lines of METADATA that a check reads; a description may be long.
std::string useful_metadata(std::string_view text) {
    std::string kept;
    while (const auto line = next_line(text)) {
        if (line->empty()) break;
        if (line->starts_with("Name:") || line->starts_with("Version:") ||
            line->starts_with("Requires-Dist:"))
            kept += std::string(*line) + '\n';
    }
    return kept;
}

std::string useful_status(std::string_view text) {
    while (const auto line = next_line(text))
        if (line->starts_with("Cpus_allowed_list:")) return std::string(*line) + '\n';
    return {};
}

// Processors are alike: keeps all lines of the first, and of the others only the "processor" lines.
std::string useful_processors(std::string_view text) {
    std::string kept;
    bool first = true;
    while (const auto line = next_line(text)) {
        if (first || line->starts_with("processor")) kept += std::string(*line) + '\n';
        if (line->empty()) first = false;
    }
    return kept;
}

Status write_record(const std::string& folder, check::RootRecord record) {
    record = check::masked(record, own_names());
    for (auto& [key, value] : record.entries) {
        if (key == "file /proc/self/mountinfo") value = useful_mounts(value);
        if (key == "file /proc/cpuinfo") value = useful_processors(value);
        if (key == "file /proc/self/status") value = useful_status(value);
        if (key.ends_with("/METADATA")) value = useful_metadata(value);
        if (key.starts_with("var ")) value = mask_text(value);
    }
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    std::ofstream file(folder + '/' + std::string(check::root_file), std::ios::binary);
    file << check::to_text(record);
    file.close();
    if (!file) return Error{formatted("{}: cannot be written", folder)};
    return Done{};
}

int bad_usage(const std::string& text) {
    complain(text);
    return exit_usage;
}

void try_imports(check::Environment& environment, Nanos limit) {
    if (!environment.python || !environment.python->unknown_because.empty()) return;
    for (const check::Framework& framework : environment.python->frameworks)
        if (environment.wanted.empty() || environment.wanted == framework.name)
            environment.tries.push_back(
                check::try_import(environment.python->program, framework.name, limit));
}

}  // namespace

const Verb check_verb{
    .name = "check",
    .usage = "check [--json] [--python PYTHON] [--for torch|tensorflow|jax] [--import]",
    .summary = "what will go wrong with a training on this machine, and how to fix it",
    .text =
        "Checks driver, packages, libraries, limits, memory, disks, GPUs and notebook kernels\n"
        "before anything runs, without importing a framework. Prints only what needs attention,\n"
        "worst first, with the file it was read from and the command that fixes it. Exit status:\n"
        "0 when nothing blocks, 1 when something does, 2 on bad usage.",
    .options = check_options,
    .words = Words::none,
    .examples =
        "  holdfast check\n"
        "  holdfast check --python .venv/bin/python --for torch\n"
        "  holdfast check --json | jq '.findings[].code'\n"
        "  holdfast check --record report; holdfast check --root report\n",
};

int check(const Arguments& arguments) {
    if (arguments.has("--list")) {
        for (const check::CheckRule& one : check::all_checks()) print(std::string(one.name) + '\n');
        return 0;
    }
    check::GatherOptions options;
    options.python = arguments.get("--python").value_or("");
    options.wanted = arguments.get("--for").value_or("");
    if (arguments.has("--python") && options.python.empty())
        return bad_usage("--python: name a Python, for example .venv/bin/python");
    if (arguments.has("--for") &&
        std::find(frameworks.begin(), frameworks.end(), options.wanted) == frameworks.end())
        return bad_usage(formatted("--for {}: say torch, tensorflow or jax", options.wanted));
    const auto limit = arguments.has("--import-limit")
                           ? parse_number<unsigned>(*arguments.get("--import-limit"))
                           : std::optional(usual_import_seconds);
    if (!limit || *limit == 0 || *limit > 3600)
        return bad_usage("--import-limit: give whole seconds, 1 to 3600");
    const auto root = arguments.get("--root");
    if (root) {
        struct stat found {};
        if (::stat(root->c_str(), &found) != 0 || !S_ISDIR(found.st_mode))
            return bad_usage(formatted("--root {}: no such folder", *root));
        if (arguments.has("--import"))
            return bad_usage("--import needs this machine; leave --root out");
    }
    const Nanos begin = monotonic_now();
    const auto sight = root ? sight_of_root(*root) : check::machine_sight();
    check::RootRecord record;
    const auto recorder = check::recording_sight(*sight, record);
    const auto folder = arguments.get("--record");
    check::Environment environment = check::gather(folder ? *recorder : *sight, options);
    if (!root && !options.python.empty() && environment.python &&
        environment.python->program.empty())
        return bad_usage(formatted("--python {}: no such program", options.python));
    if (arguments.has("--import")) try_imports(environment, std::chrono::seconds(*limit));
    if (folder)
        if (const Status written = write_record(*folder, record); !written) {
            complain(written.error().text);
            return exit_usage;
        }
    CheckReport report = check::judge(environment);
    report.milliseconds = 1000 * seconds(monotonic_now() - begin);
    print(arguments.has("--json")
              ? to_json(report)
              : check_page(report, style_for(STDOUT_FILENO, terminal_environment())));
    return report.blocks() ? exit_failure : 0;
}

}  // namespace holdfast::cli
