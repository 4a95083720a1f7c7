// HF105 to HF108 and HF114 in words: refused memory, by whom and why.
#include "base/format.h"
#include "diagnose/facts/memory.h"
#include "diagnose/words/account.h"
#include "diagnose/words/memory_fixes.h"
#include "diagnose/words/phrases.h"

namespace holdfast::facts {
namespace {

std::string asked_for(const Refusal& refusal) {
    return refusal.asked ? formatted("an allocation of {}", human(*refusal.asked))
                         : std::string("an allocation");
}

Account refused(const Autopsy& death, const Refusal& refusal, std::string summary) {
    Account account = account_of(death, std::move(summary));
    account.saw(refusal.said.source, shortened(refusal.said.line));
    return account;
}

std::string refused_by_guard(const Autopsy& death, const AgentEvidence& agent,
                             const RefusalEvidence& last) {
    const std::string whose =
        agent.pid == death.pid ? who(death) : formatted("a worker (pid {})", agent.pid);
    switch (last.kind) {
    case RefusalEvidence::Kind::too_large:
        return formatted(
            "{} asked for {} at once, more than the whole limit of {}; the guard "
            "refused it.",
            whose, human(last.asked), human(last.limit));
    case RefusalEvidence::Kind::nothing_left:
        return formatted(
            "{} had used up its memory: {} of {} were left. The guard refused the next allocation, "
            "so it got an error instead of an OOM kill.",
            whose, human(last.room), human(last.limit));
    case RefusalEvidence::Kind::brink:
        return formatted(
            "{} was about to use up its memory: {} of {} were left. The guard raised BrinkError "
            "between two steps.",
            whose, human(last.room), human(last.limit));
    case RefusalEvidence::Kind::refused: break;
    }
    return formatted(
        "{} asked for {} when {} of {} were left; the guard refused it, so it got an error instead "
        "of an OOM kill.",
        whose, human(last.asked), human(last.room), human(last.limit));
}

}  // namespace

void tell(const AllocRefused& facts, const Autopsy& death, Account& account) {
    const Refusal& refusal = facts.refusal;
    const std::optional<Bytes> free = facts.free;
    const std::string figures =
        free ? formatted("; {} were available at the last look", human(*free)) : "";
    account =
        refused(death, refusal,
                formatted("{} asked for {} and was refused{}.", who(death),
                          refusal.asked ? human(*refusal.asked) : std::string("memory"), figures));
    if (refusal.asked) account.saw("asked for", human(*refusal.asked));
    if (free) account.saw("available", human(*free));
    if (facts.too_large)
        account.advise(
            formatted("Split the allocation: {} at once is more than the {} that were available.",
                      human(*refusal.asked), human(*free)),
            death.python() ? "numpy.lib.format.open_memmap(path, mode=\"w+\", ...)" : "");
    else
        account.advise("Take a smaller batch or a smaller piece of the data.");
}

void tell(const AddressLimit& facts, const Autopsy& death, Account& account) {
    const std::string name = facts.by_space ? "RLIMIT_AS (ulimit -v)" : "RLIMIT_DATA (ulimit -d)";
    account = refused(death, facts.refusal,
                      formatted("{} was refused {} by {}: it used {}.", who(death),
                                asked_for(facts.refusal), name, part_of(facts.used, facts.limit)));
    account.saw("/proc/PID/limits", formatted("{} {}", name, human(facts.limit)));
    account.saw("/proc/PID/status", part_of(facts.used, facts.limit));
    if (death.all.host.available_last)
        account.saw("/proc/meminfo", "MemAvailable " + human(*death.all.host.available_last));
    account.advise(
        formatted("Raise the limit: {} is set where the program is started.", human(facts.limit)),
        facts.by_space ? "ulimit -v unlimited" : "ulimit -d unlimited");
}

void tell(const OvercommitLimit& facts, const Autopsy& death, Account& account) {
    const HostEvidence& host = death.all.host;
    account = refused(death, facts.refusal,
                      formatted("{} was refused {}: the machine commits no memory beyond its "
                                "commit limit, and {} were committed.",
                                who(death), asked_for(facts.refusal),
                                part_of(*host.committed, *host.commit_limit)));
    account.saw("vm.overcommit_memory", "2");
    account.saw("/proc/meminfo", "Committed_AS " + part_of(*host.committed, *host.commit_limit));
    account.advise("Raise the commit limit, or go back to the default mode (0).",
                   "sysctl vm.overcommit_memory=0");
}

void tell(const MapCount& facts, const Autopsy& death, Account& account) {
    const std::uint64_t most = *death.all.host.max_map_count;
    const std::uint64_t mappings = *death.process->mappings;
    account = refused(
        death, facts.refusal,
        formatted(
            "{} had {}{} memory mappings, a process may have {}, and the next one was refused.",
            who(death), facts.seen ? "" : "at least ", mappings, most));
    account.saw("/proc/PID/maps", formatted("{} mappings", mappings));
    account.saw("vm.max_map_count", std::to_string(most));
    account.advise("Allow more mappings.", formatted("sysctl vm.max_map_count={}", most * 4));
}

void tell(const GuardRefused& facts, const Autopsy& death, Account& account) {
    const RefusalEvidence& last = facts.agent->guard->last;
    account = account_of(death, refused_by_guard(death, *facts.agent, last));
    if (!facts.error)
        account.summary += " The program did not handle the error and has been stuck since.";
    account.saw("guard", formatted("asked {}, left {} of {}", human(last.asked), human(last.room),
                                   human(last.limit)));
    if (facts.error) {
        if (facts.agent->guard->refused > 1)
            account.saw("guard", formatted("{} refusals in all", facts.agent->guard->refused));
        account.saw(facts.error->said.source, shortened(facts.error->said.line));
    }
    account.advise(need_less(death));
}

}  // namespace holdfast::facts
