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

#include "base/read_file.h"
#include "base/text.h"
#include "knowledge/places.h"
#include "sources/directory.h"
#include "sources/pid_io.h"
#include "sources/process_list.h"
#include "sources/process_memory.h"
#include "sources/thread_list.h"

namespace holdfast {
namespace {

using sources::Wait;

constexpr std::size_t most_processes = 64;
constexpr std::size_t most_threads = 256;  // of one process
constexpr std::size_t most_frames = 24;    // of one thread, innermost first

constexpr std::string_view word_of(Wait wait) {
    switch (wait) {
    case Wait::unknown: return "unknown";
    case Wait::running: return "running";
    case Wait::lock: return "lock";
    case Wait::child: return "child";
    case Wait::read: return "read";
    case Wait::write: return "write";
    case Wait::poll: return "poll";
    case Wait::sleep: return "sleep";
    case Wait::signal: return "signal";
    case Wait::file_lock: return "file lock";
    case Wait::disk: return "disk";
    case Wait::stopped: return "stopped";
    case Wait::other: return "other";
    }
    return "unknown";
}

std::string target_of(int process_dir, int fd) {
    std::array<char, 512> buffer{};
    const std::string name = "fd/" + std::to_string(fd);
    const ssize_t got = ::readlinkat(process_dir, name.c_str(), buffer.data(), buffer.size());
    return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
}

bool is_pipe(const std::string& target) { return target.starts_with("pipe:["); }

// The descriptors that poll(2) was given, read from the array in the process's own memory.
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

// A pthread mutex names the thread that holds it, next to the word that is waited on. Used only if
// that thread belongs to this process or to the one it was forked from, because the memory may be
// something else.
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
    const auto status = read_file_at(process_dir, "status", 1U << 16U);
    if (!status) return false;
    const std::size_t at = status->find("\nTracerPid:\t");
    return at != std::string::npos && (*status)[at + 12] != '0';
}

struct Looked {
    PicturedProcess process;
    // What a thread's descriptors are, where it waits for one; by place in `process.threads`.
    std::map<std::size_t, std::vector<std::string>> targets;
};

Looked look_at(Nanos now, const ProcessTree& tree, StackWatch& stacks, pid_t pid) {
    Looked looked;
    PicturedProcess& process = looked.process;
    const format::Process& row = *tree.member(pid);
    const int dir = tree.directory_of(pid);
    process.pid = pid;
    process.parent = row.parent;
    process.role = row.role;
    process.traced = is_traced(dir);
    const auto threads = sources::read_threads(dir, most_threads);
    if (!threads || threads->empty()) return looked;
    std::map<int, sources::PythonThread> python;
    if (row.program == format::ProgramKind::python)
        for (sources::PythonThread& thread : stacks.threads_of(now, pid))
            python.emplace(thread.tid, std::move(thread));
    process.complete = threads->size() < most_threads;
    for (const sources::ThreadSeen& seen : *threads) {
        if (seen.state == 'Z' || seen.state == 'X') continue;  // has ended, waits for nothing
        StallThread thread;
        thread.tid = seen.tid;
        thread.name = seen.tid == pid ? "MainThread" : printable(seen.name);
        thread.state = seen.state;
        thread.wait = word_of(seen.wait.kind);
        thread.timed = seen.wait.timed;
        thread.own_lock = seen.wait.kind == Wait::lock && seen.wait.own_lock;
        thread.call = sources::name_of_call(seen.wait.call);
        thread.wait_channel = printable(seen.wait_channel);
        if (seen.wait.kind == Wait::unknown) process.complete = false;
        if (thread.own_lock)
            if (const auto owner = mutex_owner(pid, dir, seen.wait.address);
                owner &&
                (has_thread(dir, *owner) || has_thread(tree.directory_of(row.parent), *owner)))
                thread.owner = owner;
        if (seen.wait.fd) {
            thread.target = printable(target_of(dir, *seen.wait.fd));
            looked.targets[process.threads.size()] = {thread.target};
        } else if (seen.wait.kind == Wait::poll) {
            looked.targets[process.threads.size()] = seen.wait.address != 0
                                                         ? polled(pid, dir, seen.wait)
                                                         : std::vector<std::string>{"unknown"};
        }
        if (const auto found = python.find(seen.tid); found != python.end()) {
            thread.holds_gil = found->second.holds_gil;
            if (seen.tid != pid && !found->second.name.empty()) thread.name = found->second.name;
            for (const sources::PythonFrame& frame : found->second.frames) {
                if (thread.frames.size() == most_frames) break;
                StallFrame& kept = thread.frames.emplace_back();
                kept.file = frame.file;
                kept.function = frame.function;
                if (frame.line) kept.line = static_cast<int>(*frame.line);
            }
        }
        if (seen.tid == pid || !serves_a_kernel(thread)) {
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
        if (!fds) continue;  // another user's: it cannot have one of our pipes
        while (const auto fd = fds->next_number())
            if (const std::string target = target_of(dir->fd(), *fd); pipes.contains(target))
                held.insert(target);
    }
    return held;
}

void decide_inside(const StallThread& thread, const std::vector<std::string>* targets,
                   const std::set<std::string>& outside, bool& inside) {
    inside = false;
    if (thread.timed) return;
    if (thread.wait == "lock" || thread.wait == "child") {
        inside = true;
        return;
    }
    if (thread.wait != "read" && thread.wait != "write" && thread.wait != "poll") return;
    inside = targets != nullptr && !targets->empty() &&
             std::all_of(targets->begin(), targets->end(), [&](const std::string& target) {
                 return is_pipe(target) && !outside.contains(target);
             });
}

}  // namespace

bool PicturedProcess::python() const {
    return std::any_of(threads.begin(), threads.end(),
                       [](const StallThread& thread) { return !thread.frames.empty(); });
}

bool StallPicture::inside_only() const {
    if (!complete || processes.empty()) return false;
    return std::all_of(processes.begin(), processes.end(), [](const PicturedProcess& process) {
        return process.complete && !process.traced &&
               std::all_of(process.threads.begin(), process.threads.end(),
                           [](const StallThread& thread) { return thread.inside; });
    });
}

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
        // Its main thread is gone, and the rest will follow.
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
            const auto targets = one.targets.find(i);
            decide_inside(one.process.threads[i],
                          targets == one.targets.end() ? nullptr : &targets->second, outside,
                          one.process.threads[i].inside);
        }
        picture.processes.push_back(std::move(one.process));
    }
    return picture;
}

bool serves_a_kernel(const StallThread& thread) {
    if (thread.frames.empty()) return thread.name.starts_with("ZMQbg");
    // Below threading's own three frames; what was cut off was not that of a service.
    constexpr std::size_t outermost = 4;
    if (thread.frames.size() == most_frames || thread.name.starts_with("subshell")) return false;
    const std::size_t looked_at = std::min(outermost, thread.frames.size());
    return std::any_of(thread.frames.end() - static_cast<std::ptrdiff_t>(looked_at),
                       thread.frames.end(),
                       [](const StallFrame& frame) { return is_kernel_service(frame.file); });
}

}  // namespace holdfast
