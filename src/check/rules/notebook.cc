// Notebook kernels: do they start, do they start this Python, and does anybody watch them?
#include "base/format.h"
#include "check/rules/rules.h"

namespace holdfast::check::rules {
namespace {

constexpr const char* no_kernels = "no notebook kernel is installed";

}  // namespace

void kernel_program(const Environment& environment, CheckResult& judgement) {
    if (environment.kernels.empty()) return judgement.impossible(no_kernels);
    for (const Kernel& kernel : environment.kernels)
        if (!kernel.program_exists)
            judgement.find(Severity::will_hurt, "notebook-kernel"_cause,
                           formatted("The kernel \"{}\" starts {}, which does not exist.",
                                     kernel.name, kernel.program),
                           {{kernel.file, "argv[0] " + kernel.program}},
                           {{"Remove it, or install it again from its environment.",
                             formatted("jupyter kernelspec remove {}", kernel.name)}});
}

void kernel_ipykernel(const Environment& environment, CheckResult& judgement) {
    if (environment.kernels.empty()) return judgement.impossible(no_kernels);
    for (const Kernel& kernel : environment.kernels)
        if (kernel.python && kernel.has_ipykernel == false)
            judgement.find(
                Severity::will_hurt, "notebook-kernel"_cause,
                formatted("The kernel \"{}\" starts {}, which has no ipykernel: it ends "
                          "before the first cell.",
                          kernel.name, kernel.program),
                {{kernel.file, "argv[0] " + kernel.program}},
                {{"Install it there.", formatted("{} -m pip install ipykernel", kernel.program)}});
}

void kernel_environment(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    if (environment.kernels.empty()) return judgement.impossible(no_kernels);
    if (python->frameworks.empty()) return;
    const Kernel* other = nullptr;
    for (const Kernel& kernel : environment.kernels) {
        if (!kernel.python || !kernel.program_exists) continue;
        if (kernel.of_environment) return;
        other = &kernel;
    }
    if (other == nullptr) return;
    judgement.find(Severity::note, "notebook-kernel"_cause,
                   formatted("No notebook kernel starts {}, which has {} {}; \"{}\" starts {}.",
                             python->program, python->frameworks.front().name,
                             python->frameworks.front().version, other->name, other->program),
                   {{other->file, "argv[0] " + other->program}},
                   {{"Install a kernel for this environment.",
                     formatted("{} -m ipykernel install --user --name my-env", python->program)}});
}

void kernel_unwatched(const Environment& environment, CheckResult& judgement) {
    if (environment.kernels.empty()) return judgement.impossible(no_kernels);
    const Kernel* bare = nullptr;
    for (const Kernel& kernel : environment.kernels) {
        if (kernel.watched) return;
        if (kernel.python && kernel.program_exists && bare == nullptr) bare = &kernel;
    }
    if (bare == nullptr) return;
    judgement.find(Severity::note, "notebook-kernel"_cause,
                   formatted("The kernel \"{}\" is not watched: when it dies, the notebook will "
                             "not say why.",
                             bare->name),
                   {{bare->file, "not under Holdfast"}},
                   {{"Put it under watch.", formatted("holdfast kernel install {}", bare->name)}});
}

}  // namespace holdfast::check::rules
