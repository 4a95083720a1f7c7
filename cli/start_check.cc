#include "start_check.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <utility>

#include "base/child.h"
#include "base/text.h"
#include "base/time.h"
#include "check/gather.h"
#include "check/machine_sight.h"
#include "check/paths.h"
#include "check/rule.h"
#include "present/check_page.h"
#include "present/style.h"
#include "say.h"
#include "supervise/bystander.h"

namespace holdfast::cli {
namespace {

bool is_python(std::string_view path) { return base_name(path).starts_with("python"); }

// The Python that a command runs: itself, or the one that a script (torchrun) names.
std::string python_of(check::Sight& sight, const StartCheck& plan) {
    std::string program = plan.program;
    if (program.find('/') == std::string::npos) {
        const auto path = sight.variable("PATH");
        for (const std::string& folder : check::folders_in(path ? &*path : nullptr))
            if (sight.exists(check::joined(folder, program))) {
                program = check::joined(folder, program);
                break;
            }
    }
    if (is_python(program)) return program;
    const auto head = sight.read(check::tidy(check::joined(plan.directory, program)), 256);
    if (!head || !head->starts_with("#!")) return {};
    std::string_view line = std::string_view(*head).substr(2);
    std::string_view first = next_line(line).value_or("");
    const std::string interpreter(next_word(first).value_or(""));
    return is_python(interpreter) ? interpreter : std::string();
}

void look(const RunDirectory& directory, const StartCheck& plan) {
    const Nanos begin = monotonic_now();
    const auto sight = check::machine_sight();
    check::GatherOptions options;
    options.python = python_of(*sight, plan);
    options.packages = !options.python.empty();
    options.directory = plan.directory;
    options.pid = plan.command;
    options.quick = true;
    CheckReport report = check::judge(check::gather(*sight, options), check::CheckExtent::cheap);
    report.milliseconds = 1000 * seconds(monotonic_now() - begin);
    (void)directory.write_sealed(run_file::check, to_json(report));
    if (plan.may_speak && report.blocks())
        say(blocking_notice(report, style_for(STDERR_FILENO, terminal_environment())));
}

}  // namespace

Child check_at_start(const RunDirectory& directory, const StartCheck& plan) {
    const pid_t parent = ::getpid();
    auto looker = Child::start([&] {
        end_with_parent(parent);
        ::setsid();
        // A background process of a terminal must not be stopped for writing.
        ::signal(SIGTTOU, SIG_IGN);
        become_bystander("holdfast-check", {directory.fd(), STDERR_FILENO});
        // A service's seccomp filter may kill us for this call: then there are no findings, and
        // there must be no core file.
        const rlimit no_core{};
        ::setrlimit(RLIMIT_CORE, &no_core);
        ::setpriority(PRIO_PROCESS, 0, 10);
        try {
            look(directory, plan);
        } catch (const std::exception&) {
            return 1;  // most likely no memory: then there are no findings
        }
        return 0;
    });
    return looker ? std::move(*looker) : Child();
}

void await_start_check(const RunDirectory& directory) {
    constexpr int tries = 20;
    for (int i = 0; i < tries && ::faccessat(directory.fd(), run_file::check, F_OK, 0) != 0; ++i)
        ::poll(nullptr, 0, 5);
}

}  // namespace holdfast::cli
