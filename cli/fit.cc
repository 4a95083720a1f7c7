// holdfast fit: whether a training step fits, the largest batch that does, and what would help.
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/bytes.h"
#include "base/format.h"
#include "base/text.h"
#include "fit/plan/planner.h"
#include "fit/replay/replay.h"
#include "fit_captures.h"
#include "present/plan_page.h"
#include "present/plan_picture.h"
#include "present/style.h"
#include "verbs.h"

namespace holdfast::cli {
namespace {

constexpr std::array fit_options{
    Option{"--batch", "N", "the batch size to plan for"},
    Option{"--gpu", "GPU", "\"RTX 4090\", H100, ... or its memory: 24GiB"},
    Option{"--device-profile", "GPU",
           "when --gpu is a size: the GPU whose kernels to assume (H200)"},
    Option{"--alloc-conf", "TEXT", "allocator options, as in PYTORCH_CUDA_ALLOC_CONF"},
    Option{"--context", "SIZE", "the size of the CUDA context, if you know it better"},
    Option{"--ways", "", "show what would save memory, even when it fits"},
    Option{"--no-ways", "", "do not look for what would save memory"},
    Option{"--no-largest", "", "do not search for the largest batch"},
    Option{"--fail-if-over", "", "exit with 1 when it does not fit"},
    Option{"--json", "", "as JSON"},
    Option{"--picture", "FILE", "also draw where the memory goes: FILE.svg or FILE.html"},
    Option{"--python", "PYTHON", "the Python that has torch (default: python3, python)"},
    Option{"--table", "FILE", "use these workspaces, measured by --calibrate, too"},
    Option{"--replay", "FILES", "plan from captures saved before, separated by commas"},
    Option{"--speed", "", "with --replay: print how many training steps a second are replayed"},
    Option{"--verify", "", "on a GPU: run the step, and print predicted against measured"},
    Option{"--calibrate", "", "on a GPU: measure its workspaces; prints a table"},
    Option{"--capture-fds", "R,W", "captures over these pipes (holdfast.fit uses it)"},
};

std::string python_of(const Arguments& arguments) {
    if (const auto named = arguments.get("--python")) return *named;
    if (const char* environment = std::getenv("VIRTUAL_ENV"))
        return std::string(environment) + "/bin/python";
    // Called by its path in an environment that is not active.
    std::error_code failed;
    const auto bin = std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
    for (const char* mark : {"pyvenv.cfg", "conda-meta"})
        if (!failed && std::filesystem::exists(bin.parent_path() / mark, failed))
            return bin / "python";
    return "python3";
}

// What the capturing Python is given.
struct Command {
    std::string python;
    std::vector<std::string> words;
    bool target = false;  // FILE.py:make, not a script
};

bool is_script(std::string_view word) { return word.ends_with(".py"); }

Result<Command> command_of(const Arguments& arguments) {
    const auto& words = arguments.words;
    Command command{.python = python_of(arguments), .words = {"--script"}};
    if (is_script(words[0])) {
        command.words.insert(command.words.end(), words.begin(), words.end());
        return command;
    }
    if (words.size() == 1 && words[0].find(".py:") != std::string::npos) {
        command.words = {"--target", words[0]};
        command.target = true;
        return command;
    }
    const std::string program = words[0].substr(words[0].rfind('/') + 1);
    if (!arguments.dashes || words.size() < 2 || !program.starts_with("python"))
        return Error{
            formatted("'{}' is neither FILE.py:make nor a script; to plan a whole script "
                      "say: holdfast fit train.py --gpu 24GiB, or holdfast fit --gpu "
                      "24GiB -- python train.py",
                      words[0])};
    if (!arguments.has("--python")) command.python = words[0];
    command.words.insert(command.words.end(), words.begin() + 1, words.end());
    return command;
}

struct Machine {
    fit::DeviceProfile device;
    Bytes capacity;
};

Result<Machine> machine_of(const Arguments& arguments) {
    const auto wanted = arguments.get("--gpu");
    const auto profile = fit::find_device(arguments.get("--device-profile").value_or("H200"));
    if (!profile) return profile.error();
    if (!wanted) return Error{"which GPU? say: --gpu \"RTX 4090\" or --gpu 24GiB"};
    // A number alone is the name of a GPU: --gpu 4090.
    if (const auto size = parse_size(*wanted); size && size->count > 0)
        return Machine{*profile, *size};
    const auto device = fit::find_device(*wanted);
    if (!device) return device.error();
    return Machine{*device, device->usable};
}

// torch reads the newer variable first.
std::string allocator_text(const Arguments& arguments) {
    if (const auto given = arguments.get("--alloc-conf")) return *given;
    for (const char* name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"})
        if (const char* value = std::getenv(name)) return value;
    return {};
}

Result<fit::PlanRequest> request_of(const Arguments& arguments, const Machine& machine,
                                    const fit::WorkspaceTable& table) {
    fit::PlanRequest request;
    request.capacity = machine.capacity;
    request.context = table.context.value_or(fit::measured_context);
    if (const auto context = arguments.get("--context")) {
        const auto size = parse_size(*context);
        if (!size) return Error{formatted("--context: {}", size.error().text)};
        request.context = *size;
    }
    if (const auto batch = arguments.get("--batch")) {
        const auto number = parse_number<std::uint64_t>(*batch);
        if (!number || *number == 0 || *number > (1U << 30U))
            return Error{formatted("--batch {}: not a batch size", *batch)};
        request.batch = *number;
    }
    request.allocator_text = allocator_text(arguments);
    const auto allocator = fit::parse_allocator_options(request.allocator_text);
    if (!allocator) return allocator.error();
    request.allocator = *allocator;
    request.largest = !arguments.has("--no-largest");
    request.ways = !arguments.has("--no-ways");
    request.all_ways = arguments.has("--ways");
    return request;
}

Result<fit::WorkspaceTable> table_of(const Arguments& arguments, std::uint32_t sm) {
    const auto path = arguments.get("--table");
    if (!path) return fit::WorkspaceTable::shipped(sm);
    return fit::WorkspaceTable::read(*path);
}

int fail(const Error& error, int status = exit_failure) {
    complain(error.text);
    return status;
}

bool picture_name(std::string_view name) {
    return name.ends_with(".svg") || name.ends_with(".html");
}

Status draw(const fit::Plan& plan, const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    file << (path.ends_with(".svg") ? plan_svg(plan) : plan_html(plan));
    file.close();
    if (!file) return Error{formatted("{}: cannot be written", path)};
    return Done{};
}

int answer(const fit::Plan& plan, const Arguments& arguments) {
    if (const auto path = arguments.get("--picture"))
        if (const auto drawn = draw(plan, *path); !drawn) return fail(drawn.error());
    print(arguments.has("--json")
              ? fit::plan_json(plan)
              : plan_page(plan, style_for(STDOUT_FILENO, terminal_environment())));
    return arguments.has("--fail-if-over") && !plan.fits ? exit_failure : 0;
}

// On the machine with the GPU everything runs in Python, next to the torch that is measured.
int hand_over(const Arguments& arguments, const std::string& task) {
    std::vector<std::string> words{python_of(arguments), "-m", "holdfast.planner", task};
    if (const auto batch = arguments.get("--batch")) {
        words.emplace_back("--batch");
        words.push_back(*batch);
    }
    words.insert(words.end(), arguments.words.begin(), arguments.words.end());
    return run_python(std::move(words));
}

int plan_with(fit::CaptureSource& source, const Arguments& arguments,
              const fit::PlanRequest& request, const fit::Workspaces& workspaces) {
    const auto plan = fit::make_plan(source, request, workspaces);
    if (!plan) return fail(plan.error());
    return answer(*plan, arguments);
}

constexpr Nanos speed_budget = std::chrono::milliseconds(200);  // of CPU time, per capture

// Prints one line per capture; bench/fit reads it.
int tell_speed(const std::vector<fit::Capture>& captures, const fit::PlanRequest& request,
               const fit::Workspaces& workspaces) {
    const fit::ReplayOptions replayed{request.allocator, request.capacity - request.context};
    for (const fit::Capture& capture : captures) {
        const fit::Speed speed = fit::measure_speed(capture, workspaces, replayed, speed_budget);
        print(
            formatted("batch {}: {:.0f} steps a second ({} steps of {} moves in {:.3f} ms of CPU "
                      "time, median of {}; made ready in {:.3f} ms)\n",
                      capture.batch, speed.steps_per_second(), speed.steps, speed.moves,
                      seconds(speed.replay) * 1e3, speed.replays, seconds(speed.compile) * 1e3));
    }
    return 0;
}

}  // namespace

const Verb fit_verb{
    .name = "fit",
    .usage = "fit FILE.py[:make] [--batch N] --gpu GPU [-- OPTIONS] | fit ... -- python FILE.py",
    .summary = "whether a training step fits a GPU, and the largest batch; needs no GPU",
    .text =
        "Runs one training step on fake tensors and replays its memory through a model of torch's\n"
        "allocator. `make(batch)` in FILE.py builds model, optimizer and data as for a GPU and\n"
        "returns a function that does one whole step. An unchanged script works, too: it runs on\n"
        "fake tensors until its second optimizer step; --batch sets the size of its first\n"
        "DataLoader. Keras: make() may return a compiled model; a script is stopped at fit().",
    .options = fit_options,
    .words = Words::any,
    .examples =
        "  holdfast fit train.py:make --batch 64 --gpu \"RTX 4090\"\n"
        "  holdfast fit train.py:make --batch 64 --gpu 24GiB --json --fail-if-over\n"
        "  holdfast fit train.py --batch 64 --gpu 24GiB --picture memory.svg\n"
        "  holdfast fit --gpu 16GiB -- python train.py --epochs 1\n"
        "  holdfast fit --calibrate > sm_90.txt\n",
};

int fit(const Arguments& arguments) {
    if (arguments.has("--calibrate")) return hand_over(arguments, "calibrate");
    if (arguments.has("--verify")) return hand_over(arguments, "verify");
    if (const auto path = arguments.get("--picture"); path && !picture_name(*path))
        return fail({formatted("--picture {}: say FILE.svg or FILE.html", *path)}, exit_usage);
    const auto machine = machine_of(arguments);
    if (!machine) return fail(machine.error(), exit_usage);
    auto table = table_of(arguments, machine->device.sm);
    if (!table) return fail(table.error(), exit_usage);
    auto request = request_of(arguments, *machine, *table);
    if (!request) return fail(request.error(), exit_usage);
    const fit::Workspaces workspaces(machine->device, std::move(*table));

    if (const auto files = arguments.get("--replay")) {
        std::vector<std::string> paths;
        for (const std::string_view path : split(*files, ',')) paths.emplace_back(path);
        auto source = CaptureFiles::open(paths);
        if (!source) return fail(source.error());
        if (arguments.has("--speed")) return tell_speed(source->all(), *request, workspaces);
        if (request->batch == 0) request->batch = source->first_batch();
        return plan_with(*source, arguments, *request, workspaces);
    }
    if (const auto fds = arguments.get("--capture-fds")) {
        const auto parts = split(*fds, ',');
        const auto in = parts.size() == 2 ? parse_number<int>(parts[0]) : std::nullopt;
        const auto out = parts.size() == 2 ? parse_number<int>(parts[1]) : std::nullopt;
        if (!in || !out) return fail({"--capture-fds wants two numbers"}, exit_usage);
        auto source = CaptureProcess::over(UniqueFd(*out), UniqueFd(*in), machine->device);
        return plan_with(source, arguments, *request, workspaces);
    }
    if (arguments.words.empty())
        return fail({"what to plan? say: holdfast fit train.py:make --batch 64 --gpu 24GiB, or "
                     "holdfast fit --gpu 24GiB -- python train.py"},
                    exit_usage);
    auto command = command_of(arguments);
    if (!command) return fail(command.error(), exit_usage);
    if (command->target && request->batch == 0)
        return fail({"which batch size? say: --batch 64"}, exit_usage);
    auto source = CaptureProcess::start(command->python, command->words, machine->device);
    if (!source) return fail(source.error());
    return plan_with(*source, arguments, *request, workspaces);
}

}  // namespace holdfast::cli
