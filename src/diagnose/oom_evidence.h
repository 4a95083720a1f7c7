// Whether the kernel's OOM killer took a process, where, and how sure that is.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/death.h"
#include "model/finding.h"

namespace holdfast {

struct OomKill {
    enum class Scope { cgroup, machine };
    Scope scope = Scope::cgroup;
    Confidence confidence = Confidence::likely;
    const CgroupLevel* level = nullptr;  // whose limit, where that could be seen
    std::vector<Observation> evidence;
    std::string doubt;  // why it is not certain
};

// Nothing when the process did not end by SIGKILL, when the counters say that it was not the OOM
// killer, and when they cannot be tied to this process.
std::optional<OomKill> oom_kill_of(const Death& death);

}  // namespace holdfast
