#include "sources/process_list.h"

#include <algorithm>
#include <array>
#include <string>

#include "sources/directory.h"
#include "sources/live_file.h"
#include "sources/pid_statm.h"

namespace holdfast::sources {

Result<std::vector<int>> list_processes(const Roots& roots, std::size_t limit) {
    auto directory = Directory::open(roots.proc(), ".");
    if (!directory) return directory.error();
    std::vector<int> pids;
    while (pids.size() < limit) {
        const auto pid = directory->next_number();
        if (!pid) break;
        pids.push_back(*pid);
    }
    return pids;
}

Result<std::vector<LargeProcess>> largest_processes(const Roots& roots, std::size_t count) {
    const auto pids = list_processes(roots);
    if (!pids) return pids.error();
    std::vector<LargeProcess> largest;
    for (const int pid : *pids) {
        const auto file = LiveFile::open(roots.proc(), (std::to_string(pid) + "/statm").c_str());
        if (!file) continue;  // gone meanwhile, or hidden from us
        std::array<char, 256> buffer;
        const auto text = file->read(buffer);
        if (!text) continue;
        const auto size = parse_pid_statm(*text);
        if (size && size->rss > Bytes{}) largest.push_back({pid, size->rss});
    }
    const auto larger = [](const LargeProcess& a, const LargeProcess& b) { return a.rss > b.rss; };
    const std::size_t keep = std::min(count, largest.size());
    const auto middle = largest.begin() + static_cast<std::ptrdiff_t>(keep);
    std::partial_sort(largest.begin(), middle, largest.end(), larger);
    largest.resize(keep);
    return largest;
}

}  // namespace holdfast::sources
