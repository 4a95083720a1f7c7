// A cgroup's files, and finding its directory from /proc/PID/cgroup and (after a NUL) a mount
// table.
#include <cstdlib>
#include <string_view>

#include "sources/cgroup_place.h"
#include "sources/cgroup_reading.h"

namespace {

using namespace holdfast;
using namespace holdfast::sources;

void check_place(std::string_view text) {
    const std::size_t nul = text.find('\0');
    const auto memberships = parse_pid_cgroup(text.substr(0, nul));
    if (!memberships || nul == std::string_view::npos) return;
    const auto mounts = parse_mountinfo(text.substr(nul + 1));
    for (const bool everything_exists : {true, false}) {
        const auto exists = [&](const std::string& path) {
            return everything_exists || path.size() < 20;
        };
        for (const char* controller : {"memory", "pids"}) {
            auto place = place_of(controller, *memberships, mounts, exists);
            // The place must never be outside the mount, and the way up must end.
            for (std::size_t steps = 0; place; place = place->parent(), ++steps)
                if (place->below.starts_with("/../") || steps > text.size()) std::abort();
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)parse_cgroup_count(text);
    (void)parse_cgroup_events(text);
    (void)parse_cgroup_limit(text);
    CgroupMemoryLevel level;
    for (const int version : {1, 2}) {
        level.stat = parse_cgroup_memory_stat(text, version);
        level.limit = Bytes::gib(1);
        level.usage = level.stat.anon;
        const auto room = headroom({&level, 1});
        if (room && *room > *level.limit) std::abort();
    }
    check_place(text);
    return 0;
}
