// HF105 to HF108: an allocation was refused, and the figures that say why.
#include <algorithm>
#include <csignal>

#include "diagnose/death/place.h"
#include "diagnose/facts/memory.h"
#include "diagnose/oom/refusal.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {
namespace {

// A status other than 1 means that the exception was caught and something else decided.
Confidence sure_of(const Autopsy& death, const Refusal& refusal, Confidence confidence) {
    const bool fits = refusal.said.final && (death.exit.signal || death.exit.code == 1);
    return fits ? confidence : at_most(confidence, Confidence::likely);
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

// A pool passes its worker's exception on to the parent, whose own figures then say nothing. So
// take the child that is nearest to its limit.
const ProcessEvidence& refused_process(const Autopsy& death) {
    const ProcessEvidence* nearest = death.process;
    const TracebackText* traceback = death.exception;
    if (traceback == nullptr || !place_in_worker(death, *traceback)) return *nearest;
    for (const ProcessEvidence& process : death.all.processes)
        if (process.parent == death.pid && share_of_limit(process) > share_of_limit(*nearest))
            nearest = &process;
    return *nearest;
}

// The last look may have come after everything was freed: use the agent's peak.
Bytes most_asked_for(const Autopsy& death, const ProcessEvidence& process) {
    for (const AgentEvidence& agent : death.all.agents)
        if (agent.pid == process.pid) return agent.peak;
    return Bytes{};
}

// Whether a limit other than the machine's memory applied.
bool limited(const Autopsy& death) {
    const ProcessLimits& limits = death.process->limits;
    return limits.address_space || limits.data || death.all.host.overcommit_mode == 2;
}

}  // namespace

std::optional<Finding> alloc_refused(const Autopsy& death) {
    const std::optional<Refusal> refusal = death.refusal;
    if (!refusal || refusal->thread || refused_by_guard(death) != nullptr) return std::nullopt;
    const std::optional<Bytes> free = free_memory(death);
    const bool too_large = refusal->asked && free && *refusal->asked > *free;
    const Confidence confidence = too_large ? Confidence::certain : Confidence::likely;
    return finding_about(death, "alloc-refused"_cause, sure_of(death, *refusal, confidence),
                         facts::AllocRefused{*refusal, free, too_large});
}

std::optional<Finding> address_limit(const Autopsy& death) {
    const std::optional<Refusal> refusal = death.refusal;
    if (!refusal || death.process == nullptr) return std::nullopt;
    const ProcessEvidence& process = refused_process(death);
    const bool by_space = process.limits.address_space && process.virtual_size;
    const bool by_data = process.limits.data && process.anon;
    if (!by_space && !by_data) return std::nullopt;

    const Bytes limit = by_space ? *process.limits.address_space : *process.limits.data;
    // The two figures may come from different looks, but resident memory is always mapped as well.
    const Bytes used = by_space ? std::max(*process.virtual_size, process.anon.value_or(Bytes{}))
                                : std::max(*process.anon, most_asked_for(death, process));
    const Bytes wanted = used + refusal->asked.value_or(Bytes{});
    // Many small requests between two looks may make the last figure far too low, so half of the
    // limit is enough. A thread's stack is a single request: unless the figure is near the limit,
    // other explanations are better.
    if (!near(wanted.count, limit.count, refusal->thread ? 0.9 : 0.5)) return std::nullopt;
    const bool decided =
        near(wanted.count, limit.count, 0.9) && ram_was_free(death.all.host, *refusal);
    const Confidence confidence = decided ? Confidence::certain : Confidence::likely;
    return finding_about(death, "address-limit"_cause, sure_of(death, *refusal, confidence),
                         facts::AddressLimit{*refusal, used, limit, by_space});
}

std::optional<Finding> overcommit_limit(const Autopsy& death) {
    const std::optional<Refusal> refusal = death.refusal;
    const HostEvidence& host = death.all.host;
    if (!refusal || host.overcommit_mode != 2 || !host.committed || !host.commit_limit)
        return std::nullopt;
    const Bytes wanted = *host.committed + refusal->asked.value_or(Bytes{});
    if (!near(wanted.count, host.commit_limit->count, 0.95)) return std::nullopt;
    return finding_about(death, "overcommit-limit"_cause,
                         sure_of(death, *refusal, Confidence::certain),
                         facts::OvercommitLimit{*refusal});
}

std::optional<Finding> map_count(const Autopsy& death) {
    const std::optional<Refusal> refusal = death.refusal;
    const std::optional<std::uint64_t> most = death.all.host.max_map_count;
    if (!refusal || !most || death.process == nullptr || !death.process->mappings)
        return std::nullopt;
    const bool seen = near(*death.process->mappings, *most, 0.95);
    // Mappings are counted rarely, and a loop can make ten thousand a second. Ordinary programs
    // have a few thousand, so if nothing else was short, so many must have reached the limit.
    const bool left_over = near(*death.process->mappings, *most, 0.4) && !limited(death) &&
                           ram_was_free(death.all.host, *refusal);
    if (!seen && !left_over) return std::nullopt;
    const Confidence confidence = seen ? Confidence::certain : Confidence::likely;
    return finding_about(death, "map-count"_cause, sure_of(death, *refusal, confidence),
                         facts::MapCount{*refusal, seen});
}

}  // namespace holdfast::rules
