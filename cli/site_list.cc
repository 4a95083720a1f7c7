#include "site_list.h"

#include <utility>

#include "base/json.h"
#include "evidence/agent_memory.h"
#include "model/evidence.h"
#include "record/agent_box.h"
#include "record/agent_format.h"

namespace holdfast::cli {
namespace {

Json frames_to_json(const AgentRecord& agent, const FrameNumbers& stack) {
    Json list = Json::list();
    for (const Frame& frame : frames_of(agent, stack)) {
        Json one = Json::object({{"file", frame.file}});
        if (frame.line) one["line"] = *frame.line;
        list.push_back(std::move(one));
    }
    return list;
}

}  // namespace

std::string site_list(const RunRecord& record) {
    Json agents = Json::list();
    for (const AgentRecord& agent : record.agents) {
        Json sites = Json::list();
        for (const AgentSiteRecord& site : agent.memory.sites)
            sites.push_back(Json::object({{"frames", frames_to_json(agent, site.stack)},
                                          {"live", site.live_bytes},
                                          {"peak", site.peak_bytes},
                                          {"gpu", (site.flags & format::site_gpu) != 0}}));
        agents.push_back(Json::object({{"pid", agent.pid},
                                       {"lines_readable", agent.lines_readable},
                                       {"sites", std::move(sites)}}));
    }
    return Json::object({{"agents", std::move(agents)}}).dump() + '\n';
}

}  // namespace holdfast::cli
