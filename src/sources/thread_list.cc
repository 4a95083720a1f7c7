#include "sources/thread_list.h"

#include <fcntl.h>

#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "sources/directory.h"
#include "sources/pid_stat.h"
#include "sources/pid_wchan.h"

namespace holdfast::sources {
namespace {

// The server of a FUSE filesystem (sshfs, object stores, virtiofs) owes it an answer. It sleeps
// lightly until a signal comes, and may be past waking after that.
bool waits_for_fuse(std::string_view channel) { return channel == "request_wait_answer"; }

// The state the kernel shows decides over the call the thread was in when it came to that.
WaitKind kind_by_state(char state, std::string_view channel, WaitKind by_call) {
    switch (state) {
    case 'R': return WaitKind::running;
    case 'D': return WaitKind::disk;
    case 'T':
    case 't': return WaitKind::stopped;
    default: return waits_for_fuse(channel) ? WaitKind::disk : by_call;
    }
}

}  // namespace

Result<std::vector<ThreadSeen>> read_threads(int process_dir, std::size_t limit) {
    auto tasks = Directory::open(process_dir, "task");
    if (!tasks) return tasks.error();
    std::vector<ThreadSeen> threads;
    // The kernel lists them by age, the main thread first.
    while (threads.size() < limit) {
        const auto tid = tasks->next_number();
        if (!tid) break;
        const UniqueFd dir(::openat(tasks->fd(), std::to_string(*tid).c_str(),
                                    O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (!dir) continue;
        const auto stat = read_pid_stat(dir.get());
        if (!stat) continue;
        ThreadSeen& seen = threads.emplace_back();
        seen.tid = *tid;
        seen.name = stat->comm;
        seen.state = stat->state;
        seen.cpu_time = stat->cpu_time;
        if (auto channel = read_pid_wchan(dir.get())) seen.wait_channel = std::move(*channel);
        if (const auto wait = read_thread_wait(dir.get())) seen.wait = *wait;
        seen.wait.kind = kind_by_state(seen.state, seen.wait_channel, seen.wait.kind);
    }
    return threads;
}

}  // namespace holdfast::sources
