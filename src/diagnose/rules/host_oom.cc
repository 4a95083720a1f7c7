// HF101 and HF102: the kernel's OOM killer, at a cgroup's limit or on the whole machine.
#include "base/format.h"
#include "diagnose/memory_fixes.h"
#include "diagnose/memory_held.h"
#include "diagnose/oom_evidence.h"
#include "diagnose/place.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

std::string held(const Death& death) {
    const std::optional<Bytes> own = held_at_end(death);
    return own ? formatted("it held {}", human(*own)) : "how much it held was not seen";
}

void add_own_figures(Finding& finding, const Death& death) {
    if (const std::optional<Bytes> own = held_at_end(death))
        finding.evidence.push_back({"memory of the process", human(*own)});
}

Finding with_kill(const Death& death, const OomKill& kill, CauseId cause, std::string summary) {
    Finding finding = finding_about(death, cause, kill.confidence, std::move(summary));
    for (const Observation& seen : kill.evidence)
        if (seen.source != "exit status") finding.evidence.push_back(seen);
    add_own_figures(finding, death);
    if (!finding.where) finding.where = where_it_was(death);
    if (kill.confidence != Confidence::certain && !kill.doubt.empty())
        finding.evidence.push_back({"doubt", kill.doubt});
    return finding;
}

bool little_of(const Death& death, Bytes limit) {
    const std::optional<Bytes> tree = held_by_tree(death);
    return tree && tree->share_of(limit) < 0.3;
}

}  // namespace

std::optional<Finding> cgroup_oom(const Death& death) {
    const std::optional<OomKill> kill = oom_kill_of(death);
    if (!kill || kill->scope != OomKill::Scope::cgroup) return std::nullopt;
    const CgroupLevel* level = kill->level;
    const std::string limit = level != nullptr && level->limit
                                  ? formatted("{}, {}", limit_name(*level), human(*level->limit))
                                  : std::string("a memory limit that cannot be seen from here");
    Finding finding = with_kill(
        death, *kill, "cgroup-oom"_cause,
        formatted("The kernel's OOM killer ended {} at {}; {}.", who(death), limit, held(death)));
    if (level != nullptr && level->limit && little_of(death, *level->limit)) {
        finding.fixes.push_back(
            {"Something else below the same limit had filled it and was gone "
             "when it was looked for: see what runs there beside the program.",
             "systemd-cgtop -m"});
        return finding;
    }
    if (level != nullptr) finding.fixes.push_back(raise_limit(death, *level));
    for (Fix& fix : need_less(death)) finding.fixes.push_back(std::move(fix));
    return finding;
}

std::optional<Finding> host_oom(const Death& death) {
    const std::optional<OomKill> kill = oom_kill_of(death);
    if (!kill || kill->scope != OomKill::Scope::machine) return std::nullopt;
    const HostEvidence& host = death.all.host;
    const std::string machine = host.total ? formatted(" of {}", human(*host.total)) : "";
    Finding finding = with_kill(
        death, *kill, "host-oom"_cause,
        formatted("The machine ran out of its memory{}, and the kernel's OOM killer ended {}; {}.",
                  machine, who(death), held(death)));
    finding.fixes = need_less(death);
    if (host.total)
        finding.fixes.push_back({formatted("Close other programs or use a machine with more than "
                                           "{} of memory.",
                                           human(*host.total)),
                                 {}});
    return finding;
}

}  // namespace holdfast::rules
