#include "diagnose/stall_finding.h"

#include "base/format.h"
#include "diagnose/inside.h"
#include "diagnose/moment.h"
#include "diagnose/waits.h"

namespace holdfast {
namespace {

constexpr std::size_t most_threads_told = 8;

std::string thread_name(const Death& death, const StalledProcess& process,
                        const WaitingThread& thread) {
    const bool only_one = death.all.stalls.back().processes.size() == 1;
    if (only_one) return thread_label(thread, process);
    const std::string who = name_of(death, process);
    return thread.tid == process.pid
               ? who
               : formatted("{} of {}", thread_label(thread, process), process.pid);
}

void add_thread(const Death& death, const StalledProcess& process, const WaitingThread& thread,
                Finding& finding) {
    std::string text = what_it_does(thread);
    std::string kernel;
    if (!thread.call.empty()) kernel = thread.call;
    if (!thread.wait_channel.empty())
        kernel += (kernel.empty() ? "" : ", ") + formatted("wchan {}", thread.wait_channel);
    if (thread.wait == WaitKind::disk)
        kernel += formatted(", state {}", thread.state.value_or('D'));
    if (!kernel.empty()) text += formatted(" ({})", kernel);
    if (thread.owner) text += formatted("; thread {} holds it", *thread.owner);
    if (thread.holds_gil) text += "; holds the interpreter's lock (GIL)";
    if (!thread.native.empty()) text += "; in " + thread.native.front();
    finding.evidence.push_back({thread_name(death, process, thread), std::move(text)});
}

}  // namespace

std::string for_how_long(const Standstill& stand) { return "for " + human(stand.lasted); }

Finding stall_finding(const Death& death, const Standstill& stand, CauseId cause,
                      Confidence confidence, std::string summary) {
    const StallEvidence& stall = *stand.stall;
    Finding finding{cause, confidence, std::move(summary), {}, {}, {}, stand.culprit->pid};
    finding.where = own_place(stand.thread->frames);
    if (!finding.where && !stand.waiting->threads.empty())
        finding.where = own_place(stand.waiting->threads.front().frames);
    std::string how = human(stand.lasted);
    if (stall.cpu) how += formatted(", {} of CPU time used", human(*stall.cpu));
    if (stall.inside_only) how += "; nobody outside could have ended it";
    finding.evidence.push_back({"not moving", how});
    if (stall.steps > 0 && stall.last_step)
        finding.evidence.push_back(
            {"steps", formatted("{} ended, the last one {} before the last look{}", stall.steps,
                                human(between(*stall.last_step, stall.seen)),
                                stall.usual ? "; usually every " + human(*stall.usual) : "")});
    std::size_t told = 0;
    const auto tell = [&](const StalledProcess& process) {
        for (const WaitingThread& thread : process.threads) {
            const bool speaks = !thread.frames.empty() || thread.tid == process.pid;
            if (speaks && told++ < most_threads_told) add_thread(death, process, thread, finding);
        }
    };
    tell(*stand.culprit);
    for (const StalledProcess& process : stall.processes)
        if (&process != stand.culprit) tell(process);
    return finding;
}

std::vector<PythonStack> stall_stacks(const Death& death, const Standstill& stand) {
    std::vector<PythonStack> stacks;
    const auto add = [&](const StalledProcess& process) {
        for (const WaitingThread& thread : process.threads)
            if (!thread.frames.empty())
                stacks.push_back({thread.tid == process.pid && &process == stand.waiting
                                      ? "MainThread"
                                      : thread_name(death, process, thread),
                                  thread.frames});
    };
    add(*stand.culprit);
    for (const StalledProcess& process : stand.stall->processes)
        if (&process != stand.culprit) add(process);
    return stacks;
}

}  // namespace holdfast
