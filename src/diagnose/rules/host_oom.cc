// HF101 and HF102: the kernel's OOM killer, at a cgroup's limit or on the whole machine.
#include "diagnose/facts/memory.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {
namespace {

std::optional<Finding> oom_killed(const Autopsy& death, OomKill::Scope scope, CauseId cause) {
    const std::optional<OomKill> kill = death.oom_kill;
    if (!kill || kill->scope != scope) return std::nullopt;
    Finding finding = finding_about(death, cause, kill->confidence, facts::OomKilled{*kill});
    if (!finding.where) finding.where = death.was_at;
    return finding;
}

}  // namespace

std::optional<Finding> cgroup_oom(const Autopsy& death) {
    return oom_killed(death, OomKill::Scope::cgroup, "cgroup-oom"_cause);
}

std::optional<Finding> host_oom(const Autopsy& death) {
    return oom_killed(death, OomKill::Scope::machine, "host-oom"_cause);
}

}  // namespace holdfast::rules
