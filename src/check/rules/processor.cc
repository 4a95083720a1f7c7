// The processor: instructions that wheels assume, emulation, and how many processors there are.
#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/text.h"
#include "check/rules/rules.h"

namespace holdfast::check::rules {
namespace {

// How many processors the program can really use.
std::optional<double> allowed(const Environment& environment) {
    std::optional<double> count;
    if (environment.affinity && *environment.affinity > 0) count = *environment.affinity;
    if (environment.cpu_quota && (!count || environment.cpu_quota->value < *count))
        count = environment.cpu_quota->value;
    return count;
}

}  // namespace

void cpu_flags(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    if (!environment.cpu || environment.cpu->flags.empty())
        return judgement.impossible("/proc/cpuinfo lists no instructions");
    if (environment.cpu->arm || python->machine != "x86_64")
        return judgement.impossible("not an x86-64 processor");
    const Cpu& cpu = *environment.cpu;
    const auto tell = [&](Severity severity, const char* package, const char* flag,
                          const Fix& fix) {
        judgement.find(severity, "illegal-instruction"_cause,
                       formatted("{} is built for processors with {}, which this one ({}) does not "
                                 "have: it ends with SIGILL.",
                                 package, flag, cpu.model),
                       {{"/proc/cpuinfo", formatted("no {} among the flags", flag)}}, {fix});
    };
    if (!cpu.has("avx")) {
        if (python->framework("tensorflow") != nullptr)
            tell(Severity::blocks, "TensorFlow", "AVX", {"Run it on a processor with AVX.", ""});
        if (python->framework("jax") != nullptr)
            tell(Severity::blocks, "jaxlib", "AVX", {"Run it on a processor with AVX.", ""});
    }
    if (!cpu.has("avx2") && python->package("polars") != nullptr &&
        python->package("polars-lts-cpu") == nullptr)
        tell(Severity::will_hurt, "Polars", "AVX2",
             {"Take the build for older processors.",
              formatted("{} -m pip install polars-lts-cpu", python->program)});
}

void cpu_emulated(const Environment& environment, CheckResult& judgement) {
    if (!environment.cpu) return judgement.impossible("/proc/cpuinfo is not readable");
    const Cpu& cpu = *environment.cpu;
    const bool foreign = environment.python && environment.python->machine == "x86_64" && cpu.arm;
    const bool apple = cpu.model.starts_with("VirtualApple");
    const bool qemu = cpu.model.find("QEMU TCG") != std::string::npos;
    if (!foreign && !apple && !qemu) return;
    judgement.find(Severity::will_hurt, "emulated-cpu"_cause,
                   foreign ? std::string("This Python is for x86-64, and the processor is an ARM: "
                                         "all of it is emulated, without AVX, at a fraction of the "
                                         "speed.")
                           : formatted("The processor is emulated ({}): slow, and some "
                                       "instructions are missing.",
                                       cpu.model),
                   {{"/proc/cpuinfo", foreign ? "CPU implementer" : cpu.model}},
                   {{"Use an image or a Python for this processor.",
                     "docker run --platform linux/arm64 ..."}});
}

void cpu_quota(const Environment& environment, CheckResult& judgement) {
    if (!environment.affinity) return judgement.impossible("the affinity is not known");
    if (!environment.cpu_quota) return;
    const double quota = environment.cpu_quota->value;
    const int seen = *environment.affinity;
    if (seen < 4 || quota * 2 > seen) return;
    // If a number of threads is given, the next check judges it.
    if (environment.variable("OMP_NUM_THREADS") != nullptr) return;
    const auto threads = static_cast<int>(std::max(1.0, std::floor(quota)));
    judgement.find(
        Severity::note, "cpu-oversubscribed"_cause,
        formatted("The container may use {:.1f} processors, but programs see {}: BLAS and torch "
                  "start {} threads, which then take turns.",
                  quota, seen, seen),
        {{environment.cpu_quota->file, formatted("{:.2f} processors", quota)},
         {"sched_getaffinity", formatted("{} processors", seen)}},
        {{"Set the number of threads.", formatted("export OMP_NUM_THREADS={}", threads)}});
}

void thread_variables(const Environment& environment, CheckResult& judgement) {
    const auto most = allowed(environment);
    if (!most) return judgement.impossible("how many processors may be used is not known");
    for (const char* name : {"OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"}) {
        const std::string* value = environment.variable(name);
        const auto threads =
            value != nullptr ? parse_number<int>(trim(split(*value, ',').front())) : std::nullopt;
        if (!threads || *threads < *most * 2 || *threads < 4) continue;
        return judgement.find(
            Severity::will_hurt, "cpu-oversubscribed"_cause,
            formatted("{}={}, but only {:.1f} processors may be used: the threads take turns and "
                      "wait for each other.",
                      name, *threads, *most),
            {{name, *value},
             {environment.cpu_quota ? environment.cpu_quota->file : "sched_getaffinity",
              formatted("{:.2f} processors", *most)}},
            {{"Lower it.", formatted("export {}={}", name,
                                     static_cast<int>(std::max(1.0, std::floor(*most))))}});
    }
}

}  // namespace holdfast::check::rules
