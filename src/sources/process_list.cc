#include "sources/process_list.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/read_file.h"
#include "base/text.h"
#include "sources/directory.h"
#include "sources/live_file.h"
#include "sources/pid_stat.h"

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
        if (!file) continue;  // the process ended meanwhile, or is hidden from us
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

Result<std::vector<int>> parse_pid_children(std::string_view text) {
    std::vector<int> children;
    while (const auto word = next_word(text)) {
        const auto pid = parse_number<int>(*word);
        if (!pid || *pid <= 0) return Error{"/proc/PID/task/TID/children makes no sense", 0};
        children.push_back(*pid);
    }
    return children;
}

Result<std::vector<int>> read_pid_children(int process_dir) {
    auto tasks = Directory::open(process_dir, "task");
    if (!tasks) return tasks.error();
    std::vector<int> children;
    Error failure{"no task of the process could be read", ENOENT};
    bool read_one = false;
    while (const auto task = tasks->next_number()) {
        const auto text = read_file_at(tasks->fd(), std::to_string(*task) + "/children");
        if (!text) {  // the thread ended meanwhile, or the kernel lacks the file
            failure = text.error();
            continue;
        }
        const auto found = parse_pid_children(*text);
        if (!found) return found.error();
        read_one = true;
        children.insert(children.end(), found->begin(), found->end());
    }
    if (!read_one) return failure;
    return children;
}

}  // namespace holdfast::sources
