// holdfast kernel: makes, lists and removes watched Jupyter kernels.
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/format.h"
#include "guard_options.h"
#include "jupyter/kernelspec_store.h"
#include "jupyter/python_kernel.h"
#include "present/kernels_table.h"
#include "present/style.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array kernel_options{
    Option{"--from", "KERNEL", "watch this kernel: its name, or the folder of its kernel.json"},
    Option{"--python", "PATH", "watch the ipykernel of this Python"},
    Option{"--name", "NAME", "the new kernel's name (default: holdfast-KERNEL)"},
    Option{"--display-name", "TEXT", "what Jupyter shows for it"},
    Option{"--guard", "MODE",
           "near the memory limit: warn (default), on (a MemoryError, not a kill), off"},
    Option{"--user", "", "install for this user (the default)"},
    Option{"--sys-prefix", "", "install into the active Python environment, or --python's"},
    Option{"--json", "", "list as JSON"},
};

// The kernel to watch, from the command line or from an installed kernelspec.
struct Origin {
    Kernelspec spec;
    std::string resources;
    std::string name;
    std::string program;  // in place of its first word; may be empty
};

bool is_python_word(const std::string& word) {
    return word == "python" || word == "python3" || word.starts_with("python3.");
}

// Jupyter replaces a first word "python" by its own Python. Behind our command that word would mean
// whatever PATH finds, so we replace it by the Python of the environment in which the kernel was
// installed.
std::string python_meant(const Kernelspec& spec, const std::string& folder) {
    if (!is_python_word(spec.argv()[0])) return {};
    const fs::path prefix =
        fs::path(folder).parent_path().parent_path().parent_path().parent_path();
    for (const char* name : {"python", "python3"})
        if (const fs::path python = prefix / "bin" / name; ::access(python.c_str(), X_OK) == 0)
            return python;
    return {};
}

Result<Origin> of_python(const std::string& python) {
    auto kernel = kernel_of_python(python);
    if (!kernel) return kernel.error();
    return Origin{std::move(kernel->spec), kernel->resources, "python3", ""};
}

Result<Origin> of_kernel(const JupyterEnvironment& environment, const std::string& word) {
    auto found = find_kernel(kernel_folders(environment), word);
    if (!found) return found.error();
    if (const auto original = found->spec.unwatched()) found->spec = *original;
    const std::string program = python_meant(found->spec, found->folder);
    return Origin{std::move(found->spec), found->folder, found->name, program};
}

Result<Origin> origin_of(const Arguments& arguments, const JupyterEnvironment& environment) {
    if (const auto python = arguments.get("--python")) return of_python(*python);
    if (const auto word = arguments.get("--from")) return of_kernel(environment, *word);
    if (auto kernel = of_kernel(environment, "python3")) return kernel;
    return of_python("python3");
}

// The folder for --sys-prefix: that of --python's environment, or else of the active one.
Result<std::string> environment_kernels(const Arguments& arguments,
                                        const JupyterEnvironment& environment) {
    if (const auto python = arguments.get("--python"); python && python->find('/') != python->npos)
        return prefix_kernels(fs::absolute(*python).parent_path().parent_path());
    if (environment.prefixes.empty())
        return Error{"--sys-prefix: no Python environment is active; name one with --python"};
    return prefix_kernels(environment.prefixes[0]);
}

Result<std::string> place_for(const Arguments& arguments, const JupyterEnvironment& environment) {
    if (arguments.has("--sys-prefix")) return environment_kernels(arguments, environment);
    if (const auto folder = user_kernels(environment)) return *folder;
    return Error{"no home directory is known; set HOME or use --sys-prefix"};
}

int fail_kernel(const Error& error) {
    complain(error.text);
    return error.number == ENOENT ? exit_no_run : exit_failure;
}

int install(const Arguments& arguments) {
    if (arguments.has("--python") && arguments.has("--from")) {
        complain("give --python or --from, not both; see: holdfast kernel --help");
        return exit_usage;
    }
    if (arguments.has("--user") && arguments.has("--sys-prefix")) {
        complain("give --user or --sys-prefix, not both; see: holdfast kernel --help");
        return exit_usage;
    }
    if (const auto guard = guard_options(arguments, [](const char*) { return nullptr; }); !guard) {
        complain(guard.error().text);
        return exit_usage;
    }
    const auto environment = JupyterEnvironment::of_process();
    auto origin = origin_of(arguments, environment);
    if (!origin) return fail_kernel(origin.error());
    const auto into = place_for(arguments, environment);
    if (!into) return fail_kernel(into.error());
    std::error_code failed;
    const std::string own = fs::read_symlink("/proc/self/exe", failed);
    const std::string name = arguments.get("--name").value_or(
        origin->name.starts_with("holdfast-") ? origin->name : "holdfast-" + origin->name);
    const auto folder = watch_kernel({origin->spec, origin->resources, name,
                                      arguments.get("--display-name").value_or(""), origin->program,
                                      arguments.get("--guard").value_or(""), *into, own});
    if (!folder) return fail_kernel(folder.error());
    print(formatted("{}: {}\n", name, *folder));
    return 0;
}

int list(const Arguments& arguments) {
    std::vector<KernelRow> rows;
    for (const InstalledKernel& kernel :
         find_kernels(kernel_folders(JupyterEnvironment::of_process())))
        rows.push_back(
            {kernel.name, kernel.spec.display_name(), kernel.folder, kernel.spec.is_watched()});
    print(arguments.has("--json")
              ? kernels_json(rows)
              : kernels_table(rows, style_for(STDOUT_FILENO, terminal_environment())));
    return 0;
}

int remove(const Arguments& arguments) {
    if (arguments.words.size() < 2) {
        complain("which kernel? for example: holdfast kernel remove holdfast-python3");
        return exit_usage;
    }
    const auto kernel =
        find_kernel(kernel_folders(JupyterEnvironment::of_process()), arguments.words[1]);
    if (!kernel) return fail_kernel(kernel.error());
    if (const Status removed = remove_kernel(*kernel); !removed)
        return fail_kernel(removed.error());
    print(formatted("{} {}\n",
                    kernel->spec.is_in_place() ? "no longer watched:" : "removed:", kernel->name));
    return 0;
}

}  // namespace

const Verb kernel_verb{
    .name = "kernel",
    .usage = "kernel install [options] | kernel list [--json] | kernel remove NAME",
    .summary = "watched Jupyter kernels: install, list, remove",
    .text =
        "A watched kernel behaves as the plain one. When it dies, the cell that was running shows\n"
        "why. `install` makes a watched kernel from an existing one: from `python3`, unless\n"
        "--from or --python names another. If --name is the existing kernel's own name, it is\n"
        "changed in place, and `remove` restores it.",
    .options = kernel_options,
    .words = Words::at_most_two,
    .examples =
        "  holdfast kernel install\n"
        "  holdfast kernel install --python ~/envs/torch/bin/python --name torch\n"
        "  holdfast kernel install --guard=on --display-name \"Python 3 + guard\"\n"
        "  holdfast kernel install --from python3 --name python3 --sys-prefix\n"
        "  holdfast kernel list\n"
        "  holdfast kernel remove holdfast-python3\n",
};

int kernel(const Arguments& arguments) {
    const std::string action = arguments.words.empty() ? "" : arguments.words[0];
    if (arguments.words.size() > 1 && action != "remove") {
        complain(
            formatted("unexpected argument '{}'; see: holdfast kernel --help", arguments.words[1]));
        return exit_usage;
    }
    if (action == "install") return install(arguments);
    if (action == "list") return list(arguments);
    if (action == "remove") return remove(arguments);
    complain(action.empty() ? "say what to do: holdfast kernel install, list or remove NAME"
                            : formatted("unknown argument '{}'; say: holdfast kernel install, "
                                        "list or remove NAME",
                                        action));
    return exit_usage;
}

}  // namespace holdfast::cli
