// HF105 to HF108: an allocation was refused, and the figures that say why.
#include <algorithm>
#include <csignal>

#include "base/format.h"
#include "diagnose/inside.h"
#include "diagnose/last_text.h"
#include "diagnose/refusal.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"
#include "diagnose/worker_place.h"

namespace holdfast::rules {
namespace {

std::string asked_for(const Refusal& refusal) {
    return refusal.asked ? formatted("an allocation of {}", human(*refusal.asked))
                         : std::string("an allocation");
}

Finding refused(const Death& death, const Refusal& refusal, CauseId cause, Confidence confidence,
                std::string summary) {
    // A status other than 1 says that the exception was caught and something else decided.
    const bool fits = refusal.said.final && (death.exit.signal || death.exit.code == 1);
    Finding finding =
        finding_about(death, cause, fits ? confidence : at_most(confidence, Confidence::likely),
                      std::move(summary));
    finding.evidence.push_back({refusal.said.source, shortened(refusal.said.line)});
    return finding;
}

bool near(std::uint64_t used, std::uint64_t limit, double share) {
    return static_cast<double>(used) >= share * static_cast<double>(limit);
}

bool ram_was_free(const HostEvidence& host, const Refusal& refusal) {
    if (!host.total || !host.available_last) return false;
    return host.available_last->share_of(*host.total) >= 0.1 &&
           (!refusal.asked || *refusal.asked <= *host.available_last);
}

double share_of_limit(const ProcessEvidence& process) {
    if (!process.limits.address_space || !process.virtual_size) return 0;
    return process.virtual_size->share_of(*process.limits.address_space);
}

// A pool hands its worker's exception on to the parent, whose own figures then say nothing: among
// its children the one nearest to the limit is meant.
const ProcessEvidence& refused_process(const Death& death) {
    const ProcessEvidence* nearest = death.process;
    const TracebackText* traceback = final_exception(death);
    if (traceback == nullptr || !place_in_worker(death, *traceback)) return *nearest;
    for (const ProcessEvidence& process : death.all.processes)
        if (process.parent == death.pid && share_of_limit(process) > share_of_limit(*nearest))
            nearest = &process;
    return *nearest;
}

// The last look may have come when everything was given back already.
Bytes most_asked_for(const Death& death, const ProcessEvidence& process) {
    for (const AgentEvidence& agent : death.all.agents)
        if (agent.pid == process.pid) return agent.peak;
    return Bytes{};
}

// Then it was not the system that refused.
bool guard_refused_before(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    return agent != nullptr && agent->guard && agent->guard->refused > 0;
}

// Whether anything but the machine's memory bounded what it could have.
bool limited(const Death& death) {
    const ProcessLimits& limits = death.process->limits;
    return limits.address_space || limits.data || death.all.host.overcommit_mode == 2;
}

}  // namespace

std::optional<Finding> alloc_refused(const Death& death) {
    const std::optional<Refusal> refusal = refusal_in(death);
    if (!refusal || refusal->thread || guard_refused_before(death)) return std::nullopt;
    const std::optional<Bytes> free = free_memory(death);
    const bool too_large = refusal->asked && free && *refusal->asked > *free;
    std::string figures = free ? formatted("; {} could be had at the last look", human(*free)) : "";
    Finding finding = refused(
        death, *refusal, "alloc-refused"_cause,
        too_large ? Confidence::certain : Confidence::likely,
        formatted("{} asked for {} and was refused{}.", who(death),
                  refusal->asked ? human(*refusal->asked) : std::string("memory"), figures));
    if (refusal->asked) finding.evidence.push_back({"asked for", human(*refusal->asked)});
    if (free) finding.evidence.push_back({"could be had", human(*free)});
    if (too_large)
        finding.fixes.push_back(
            {formatted("Split the allocation: {} at once is more than the {} there were.",
                       human(*refusal->asked), human(*free)),
             death.python() ? "numpy.lib.format.open_memmap(path, mode=\"w+\", ...)" : ""});
    else
        finding.fixes.push_back({"Take a smaller batch or a smaller piece of the data.", {}});
    return finding;
}

std::optional<Finding> address_limit(const Death& death) {
    const std::optional<Refusal> refusal = refusal_in(death);
    if (!refusal || death.process == nullptr) return std::nullopt;
    const ProcessEvidence& process = refused_process(death);
    const bool by_space = process.limits.address_space && process.virtual_size;
    const bool by_data = process.limits.data && process.anon;
    if (!by_space && !by_data) return std::nullopt;

    const Bytes limit = by_space ? *process.limits.address_space : *process.limits.data;
    // The figures are not of the same look: what is resident is mapped as well.
    const Bytes used = by_space ? std::max(*process.virtual_size, process.anon.value_or(Bytes{}))
                                : std::max(*process.anon, most_asked_for(death, process));
    const Bytes wanted = used + refusal->asked.value_or(Bytes{});
    // Many small requests between two looks leave the last figure behind; a thread's stack is one
    // request, and without nearness there are better explanations for it.
    if (!near(wanted.count, limit.count, refusal->thread ? 0.9 : 0.5)) return std::nullopt;
    const bool decided =
        near(wanted.count, limit.count, 0.9) && ram_was_free(death.all.host, *refusal);
    const std::string name = by_space ? "RLIMIT_AS (ulimit -v)" : "RLIMIT_DATA (ulimit -d)";
    Finding finding = refused(death, *refusal, "address-limit"_cause,
                              decided ? Confidence::certain : Confidence::likely,
                              formatted("{} was refused {} by {}: it used {}.", who(death),
                                        asked_for(*refusal), name, part_of(used, limit)));
    finding.evidence.push_back({"/proc/PID/limits", formatted("{} {}", name, human(limit))});
    finding.evidence.push_back({"/proc/PID/status", part_of(used, limit)});
    if (death.all.host.available_last)
        finding.evidence.push_back(
            {"/proc/meminfo", "MemAvailable " + human(*death.all.host.available_last)});
    finding.fixes.push_back(
        {formatted("Raise the limit: {} is set where the program is started.", human(limit)),
         by_space ? "ulimit -v unlimited" : "ulimit -d unlimited"});
    return finding;
}

std::optional<Finding> overcommit_limit(const Death& death) {
    const std::optional<Refusal> refusal = refusal_in(death);
    const HostEvidence& host = death.all.host;
    if (!refusal || host.overcommit_mode != 2 || !host.committed || !host.commit_limit)
        return std::nullopt;
    const Bytes wanted = *host.committed + refusal->asked.value_or(Bytes{});
    if (!near(wanted.count, host.commit_limit->count, 0.95)) return std::nullopt;
    Finding finding = refused(
        death, *refusal, "overcommit-limit"_cause, Confidence::certain,
        formatted("{} was refused {}: the machine promises no memory beyond its commit limit, and "
                  "{} were promised.",
                  who(death), asked_for(*refusal), part_of(*host.committed, *host.commit_limit)));
    finding.evidence.push_back({"vm.overcommit_memory", "2"});
    finding.evidence.push_back(
        {"/proc/meminfo", "Committed_AS " + part_of(*host.committed, *host.commit_limit)});
    finding.fixes.push_back({"Let the machine promise more, or go back to its usual way (mode 0).",
                             "sysctl vm.overcommit_memory=0"});
    return finding;
}

std::optional<Finding> map_count(const Death& death) {
    const std::optional<Refusal> refusal = refusal_in(death);
    const std::optional<std::uint64_t> most = death.all.host.max_map_count;
    if (!refusal || !most || death.process == nullptr || !death.process->mappings)
        return std::nullopt;
    const bool seen = near(*death.process->mappings, *most, 0.95);
    // They are counted rarely, and a loop makes ten thousands a second. Ordinary programs have a
    // few thousand: where nothing else was short, so many can only have become too many.
    const bool left_over = near(*death.process->mappings, *most, 0.4) && !limited(death) &&
                           ram_was_free(death.all.host, *refusal);
    if (!seen && !left_over) return std::nullopt;
    Finding finding =
        refused(death, *refusal, "map-count"_cause, seen ? Confidence::certain : Confidence::likely,
                formatted("{} had {}{} memory mappings of the {} a process may have, and the "
                          "next one was refused.",
                          who(death), seen ? "" : "at least ", *death.process->mappings, *most));
    finding.evidence.push_back(
        {"/proc/PID/maps", formatted("{} mappings", *death.process->mappings)});
    finding.evidence.push_back({"vm.max_map_count", std::to_string(*most)});
    finding.fixes.push_back(
        {"Allow more mappings.", formatted("sysctl vm.max_map_count={}", *most * 4)});
    return finding;
}

}  // namespace holdfast::rules
