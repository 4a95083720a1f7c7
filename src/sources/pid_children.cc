#include "sources/pid_children.h"

#include "base/read_file.h"
#include "base/text.h"
#include "sources/directory.h"

namespace holdfast::sources {

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
        if (!text) {  // a thread that ended meanwhile, or a kernel without the file
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
