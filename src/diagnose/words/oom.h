// An OOM kill in words: what shows it, and what leaves a doubt.
#pragma once

#include <string>
#include <string_view>

#include "diagnose/oom/oom_kill.h"
#include "diagnose/words/account.h"

namespace holdfast {

// "memory.events" or "memory.oom_control"
std::string_view oom_counter_file(const CgroupEvidence& cgroup);

// Why it is not certain; empty where it is.
std::string spelled(const OomDoubt& doubt);

// What shows the kill of this process, except its exit status.
void add_kill(Account& account, const Death& death, const OomKill& kill);
void add_doubt(Account& account, const OomKill& kill);

}  // namespace holdfast
