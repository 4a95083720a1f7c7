// The other large processes of the machine, at the last look.
#include <algorithm>

#include "evidence/gatherers.h"

namespace holdfast::gatherers {

std::vector<Neighbour> neighbours(const RunRecord& record) {
    std::vector<Neighbour> all;
    for (const format::Neighbour& n : record.neighbours) {
        if (n.pid <= 0 || n.rss == format::unknown) continue;
        all.push_back(
            {n.pid, fixed_text(n.name), fixed_text(n.command), Bytes{n.rss}, n.same_cgroup != 0});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Neighbour& a, const Neighbour& b) { return a.rss > b.rss; });
    return all;
}

}  // namespace holdfast::gatherers
