#include "knowledge/schedulers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "knowledge/table.h"

namespace holdfast {
namespace {

using Property = std::pair<std::string_view, std::string Scheduler::*>;

constexpr std::array properties{
    Property{"called", &Scheduler::called},
    Property{"marked by", &Scheduler::marked_by},
    Property{"job", &Scheduler::job},
    Property{"ends at", &Scheduler::ends_at},
    Property{"stopper", &Scheduler::stopper},
    Property{"cgroup", &Scheduler::cgroup},
    Property{"raise memory", &Scheduler::raise_memory},
    Property{"save early", &Scheduler::save_early},
    Property{"look at tasks", &Scheduler::look_at_tasks},
};

std::vector<Scheduler> schedulers_of_table() {
    std::vector<Scheduler> found;
    for (const knowledge::KnowledgeRow& row : knowledge::parse_table(knowledge::schedulers_text)) {
        if (found.empty() || found.back().kind != row.section)
            found.emplace_back().kind = row.section;
        for (const auto& [name, member] : properties)
            if (row.fields[0] == name && row.fields.size() > 1)
                found.back().*member = row.fields[1];
    }
    return found;
}

const Scheduler* whose(std::string Scheduler::*member, std::string_view value) {
    if (value.empty()) return nullptr;
    const std::vector<Scheduler>& all = schedulers();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Scheduler& scheduler) {
        return scheduler.*member == value;
    });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<Scheduler>& schedulers() {
    static const std::vector<Scheduler> all = schedulers_of_table();
    return all;
}

const Scheduler* scheduler_of_kind(std::string_view kind) { return whose(&Scheduler::kind, kind); }

const Scheduler* scheduler_called(std::string_view name) { return whose(&Scheduler::called, name); }

}  // namespace holdfast
