#include "supervise/stall_picture.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "sources/directory.h"
#include "sources/pid_figures.h"
#include "sources/process_list.h"
#include "sources/process_memory.h"
#include "sources/threads.h"
#include "stall/waits.h"

namespace holdfast {
namespace {

constexpr std::size_t most_processes = 64;
constexpr std::size_t most_threads = 256;  // of one process
constexpr std::size_t most_frames = 24;    // of one thread, innermost first

std::string target_of(int process_dir, int fd) {
    std::array<char, 512> buffer{};
    const std::string name = "fd/" + std::to_string(fd);
    const ssize_t got = ::readlinkat(process_dir, name.c_str(), buffer.data(), buffer.size());
    return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
}

// The descriptors that poll(2) was given. Reads the array in the process's own memory.
std::vector<std::string> polled(pid_t pid, int process_dir, const sources::ThreadWait& wait) {
    constexpr std::size_t most = 128;
    std::vector<std::string> targets;
    if (wait.count == 0 || wait.count > most) return {"unknown"};
    std::vector<pollfd> fds(wait.count);
    sources::ProcessMemory memory(pid, process_dir);
    if (!memory.read(wait.address, fds.data(), fds.size() * sizeof(pollfd))) return {"unknown"};
    for (const pollfd& entry : fds)
        if (entry.fd >= 0) targets.push_back(target_of(process_dir, entry.fd));
    return targets;
}

// A pthread mutex stores its holder's thread id next to the word that is waited on. The memory may
// be something else, so accept the number only if that thread belongs to this process or to its
// parent.
std::optional<int> mutex_owner(pid_t pid, int process_dir, std::uint64_t futex) {
    struct {
        std::int32_t lock;
        std::uint32_t count;
        std::int32_t owner;
        std::uint32_t users;
    } mutex{};
    sources::ProcessMemory memory(pid, process_dir);
    if (!memory.read(futex, &mutex, sizeof mutex)) return std::nullopt;
    constexpr std::int32_t held_with_waiters = 2;
    if (mutex.lock != held_with_waiters || mutex.owner <= 0 || mutex.users == 0 ||
        mutex.users > 10'000)
        return std::nullopt;
    return mutex.owner;
}

bool has_thread(int process_dir, int tid) {
    return process_dir >= 0 &&
           ::faccessat(process_dir, ("task/" + std::to_string(tid)).c_str(), F_OK, 0) == 0;
}

bool is_traced(int process_dir) {
    const auto status = sources::read_pid_status(process_dir);
    return status && status->tracer_pid.value_or(0) != 0;
}

// Keeps the innermost frames; the input has them first.
std::vector<Frame> outermost_first(const std::vector<sources::PythonFrame>& frames) {
    std::vector<Frame> kept;
    for (std::size_t i = std::min(frames.size(), most_frames); i > 0; --i) {
        Frame& frame = kept.emplace_back();
        frame.file = frames[i - 1].file;
        frame.function = frames[i - 1].function;
        if (frames[i - 1].line) frame.line = static_cast<int>(*frames[i - 1].line);
    }
    return kept;
}

struct Looked {
    PicturedProcess process;
    // What the descriptors that a thread waits for lead to, by the thread's index in
    // `process.threads`.
    std::map<std::size_t, std::vector<std::string>> targets;
};

Looked look_at(Nanos now, const ProcessTree& tree, StackWatch& stacks, pid_t pid) {
    Looked looked;
    PicturedProcess& process = looked.process;
    const format::Process& row = *tree.member(pid);
    const int dir = tree.directory_of(pid);
    process.pid = pid;
    process.parent = row.parent;
    process.worker = row.role == format::ProcessRole::worker;
    process.traced = is_traced(dir);
    const auto threads = sources::read_threads(dir, most_threads);
    if (!threads || threads->empty()) return looked;
    std::map<int, sources::PythonThread> python;
    if (row.program == format::ProgramKind::python)
        for (sources::PythonThread& thread : stacks.threads_of(now, pid))
            python.emplace(thread.tid, std::move(thread));
    process.complete = threads->size() < most_threads;
    for (const sources::ThreadSeen& seen : *threads) {
        if (seen.state == 'Z' || seen.state == 'X') continue;  // it has ended and waits for nothing
        WaitingThread thread;
        thread.tid = seen.tid;
        thread.name = seen.tid == pid ? "MainThread" : printable(seen.name);
        thread.state = seen.state;
        thread.wait = seen.wait.kind;
        thread.timed = seen.wait.timed;
        thread.own_lock = seen.wait.kind == WaitKind::lock && seen.wait.own_lock;
        thread.call = sources::name_of_call(seen.wait.call);
        thread.wait_channel = printable(seen.wait_channel);
        if (seen.wait.kind == WaitKind::unknown) process.complete = false;
        if (thread.own_lock)
            if (const auto owner = mutex_owner(pid, dir, seen.wait.address);
                owner &&
                (has_thread(dir, *owner) || has_thread(tree.directory_of(row.parent), *owner)))
                thread.owner = owner;
        if (seen.wait.fd) {
            thread.target = printable(target_of(dir, *seen.wait.fd));
            looked.targets[process.threads.size()] = {thread.target};
        } else if (seen.wait.kind == WaitKind::poll) {
            looked.targets[process.threads.size()] = seen.wait.address != 0
                                                         ? polled(pid, dir, seen.wait)
                                                         : std::vector<std::string>{"unknown"};
        }
        bool cut = false;
        if (const auto found = python.find(seen.tid); found != python.end()) {
            thread.holds_gil = found->second.holds_gil;
            if (seen.tid != pid && !found->second.name.empty()) thread.name = found->second.name;
            cut = found->second.frames.size() >= most_frames;
            thread.frames = outermost_first(found->second.frames);
        }
        if (seen.tid == pid || !serves_a_kernel(thread, cut)) {
            process.threads.push_back(std::move(thread));
        } else {
            looked.targets.erase(process.threads.size());
        }
    }
    return looked;
}

// Those of these pipes that a process outside the tree has open.
std::set<std::string> held_outside(const sources::Roots& roots, const ProcessTree& tree,
                                   const std::set<std::string>& pipes) {
    std::set<std::string> held;
    if (pipes.empty()) return held;
    const auto pids = sources::list_processes(roots);
    if (!pids) return pipes;
    for (const int pid : *pids) {
        if (tree.member(pid) != nullptr) continue;
        const auto dir = sources::ProcessDir::open(roots, pid);
        if (!dir) continue;
        auto fds = sources::Directory::open(dir->fd(), "fd");
        if (!fds) continue;  // another user's process, which cannot have our pipes
        while (const auto fd = fds->next_number())
            if (const std::string target = target_of(dir->fd(), *fd); pipes.contains(target))
                held.insert(target);
    }
    return held;
}

}  // namespace

StallPicture take_picture(Nanos now, const sources::Roots& roots, const ProcessTree& tree,
                          StackWatch& stacks) {
    StallPicture picture;
    const std::vector<pid_t> members = tree.living();
    picture.complete = !members.empty() && members.size() <= most_processes;
    std::vector<Looked> looked;
    std::set<std::string> pipes;
    for (const pid_t pid : members) {
        if (looked.size() == most_processes) break;
        Looked one = look_at(now, tree, stacks, pid);
        // Its main thread has ended, and the others will follow.
        const bool ends = one.process.threads.empty() || one.process.threads.front().tid != pid;
        picture.somebody_ends = picture.somebody_ends || ends;
        if (one.process.threads.empty()) continue;
        if (const auto io = sources::read_pid_io(tree.directory_of(pid)))
            picture.moved_bytes +=
                io->read_calls.value_or(Bytes{}).count + io->written_calls.value_or(Bytes{}).count;
        for (const auto& [place, targets] : one.targets)
            for (const std::string& target : targets)
                if (is_pipe(target)) pipes.insert(target);
        looked.push_back(std::move(one));
    }
    const std::set<std::string> outside = held_outside(roots, tree, pipes);
    for (Looked& one : looked) {
        for (std::size_t i = 0; i < one.process.threads.size(); ++i) {
            WaitingThread& thread = one.process.threads[i];
            thread.inside = ended_by(thread, one.targets[i], outside) == EndedBy::tree;
        }
        picture.processes.push_back(std::move(one.process));
    }
    return picture;
}

}  // namespace holdfast
