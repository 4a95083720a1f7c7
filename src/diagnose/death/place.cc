#include "diagnose/death/place.h"

#include "base/time.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/death/worker_place.h"
#include "diagnose/text/last_text.h"
#include "diagnose/text/python_dump.h"

namespace holdfast {

std::optional<Where> where_it_died(const Death& death) {
    if (const TracebackText* traceback = final_exception(death)) {
        if (std::optional<Where> worker = place_in_worker(death, *traceback)) return worker;
        return own_place(traceback->frames);
    }
    if (const CrashEvidence* crash = crash_of(death); crash != nullptr && !crash->python.empty())
        return own_place(crash->python.front().frames);
    // A library that ends the process with exit() was called from somewhere.
    if (const ExitCallEvidence* call = exit_call_of(death)) return own_place(call->frames);
    if (!death.decides || !death.exit.signal) return std::nullopt;
    if (const std::optional<PythonDump> dump = python_dump_at_end(death.all.stderr_tail))
        return own_place(dump->frames);
    return std::nullopt;
}

std::optional<Where> where_it_was(const Death& death) {
    constexpr Nanos a_moment{2'000'000'000};
    const auto recent = [&](RunTime time) {
        return !death.time || time >= earlier(*death.time, a_moment);
    };
    const AgentEvidence* agent = agent_of(death);
    if (agent != nullptr && agent->place_time && recent(*agent->place_time))
        if (std::optional<Where> place = own_place(agent->place)) return place;
    std::optional<Where> seen;
    for (const StacksEvidence& look : death.all.stacks)
        if (look.pid == death.pid && recent(look.time) && !look.threads.empty())
            seen = own_place(look.threads.front().frames);
    return seen;
}

std::optional<Where> where_it_holds_most(const AgentEvidence& agent) {
    const SiteEvidence* largest = nullptr;
    for (const SiteEvidence& site : agent.sites)
        if (largest == nullptr || site.live > largest->live) largest = &site;
    if (largest == nullptr || largest->live.share_of(agent.live) < 0.5) return std::nullopt;
    return own_place(largest->frames);
}

}  // namespace holdfast
