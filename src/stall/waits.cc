#include "stall/waits.h"

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "knowledge/places.h"
#include "model/own_code.h"

namespace holdfast {
namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> parts) {
    return std::any_of(parts.begin(), parts.end(), [text](std::string_view part) {
        return text.find(part) != std::string_view::npos;
    });
}

}  // namespace

EndedBy ended_by(const WaitingThread& thread, const std::vector<std::string>& targets,
                 const std::set<std::string>& held_outside) {
    if (thread.timed || thread.wait == WaitKind::running) return EndedBy::itself;
    if (thread.wait == WaitKind::lock || thread.wait == WaitKind::child) return EndedBy::tree;
    if (thread.wait != WaitKind::read && thread.wait != WaitKind::write &&
        thread.wait != WaitKind::poll)
        return EndedBy::anybody;
    const bool within = !targets.empty() &&
                        std::all_of(targets.begin(), targets.end(), [&](const std::string& target) {
                            return is_pipe(target) && !held_outside.contains(target);
                        });
    return within ? EndedBy::tree : EndedBy::anybody;
}

bool is_pipe(const std::string& target) { return target.starts_with("pipe:["); }

bool serves_a_kernel(const WaitingThread& thread, bool cut) {
    if (thread.frames.empty()) return thread.name.starts_with("ZMQbg");
    // threading's own three frames come first. Of a service, these frames are never cut off.
    constexpr std::size_t outermost = 4;
    if (cut || thread.name.starts_with("subshell")) return false;
    const std::size_t looked_at = std::min(outermost, thread.frames.size());
    return std::any_of(thread.frames.begin(),
                       thread.frames.begin() + static_cast<std::ptrdiff_t>(looked_at),
                       [](const Frame& frame) { return is_kernel_service(frame.file); });
}

bool waits_for_own_lock(const WaitingThread& thread) {
    return thread.wait == WaitKind::lock && !thread.timed && thread.own_lock;
}

bool waits_for_a_lock(const WaitingThread& thread) {
    if (!waits_for_own_lock(thread) || thread.frames.empty()) return false;
    const std::string& file = thread.frames.back().file;
    return !is_notice_wait(file) && !is_delivery_wait(file);
}

std::vector<const WaitingThread*> threads_in_locks(const StalledProcess& process) {
    std::vector<const WaitingThread*> locked;
    for (const WaitingThread& thread : process.threads)
        if (waits_for_a_lock(thread)) locked.push_back(&thread);
    return locked;
}

bool has_deadlocked_threads(const StalledProcess& process) {
    return !process.threads.empty() && waits_for_a_lock(process.threads.front()) &&
           threads_in_locks(process).size() >= 2;
}

bool waits_for_interpreter(const WaitingThread& thread) {
    if (thread.wait != WaitKind::lock || !thread.timed || thread.frames.empty()) return false;
    // A timed wait of the program's own shows the library function that it called.
    const std::string& file = thread.frames.back().file;
    return !is_notice_wait(file) && !is_delivery_wait(file);
}

bool waits_in_filesystem(const WaitingThread& thread) {
    if (one_of(thread.wait_channel, {"fork", "clone", "ptrace", "exit", "nv_", "nvidia", "uvm_"}))
        return false;
    if (one_of(thread.wait_channel, {"nfs",          "rpc_",  "fuse",     "request_wait_answer",
                                     "cifs",         "smb",   "ceph",     "lustre",
                                     "gpfs",         "jbd2",  "ext4",     "xfs",
                                     "btrfs",        "folio", "page_bit", "io_schedule",
                                     "blk_",         "wbt_",  "sb_start", "rwsem",
                                     "percpu_rwsem", "iomap", "d_alloc"}))
        return true;
    return one_of(thread.call, {"read", "write", "open", "stat", "sync", "getdents"});
}

bool waits_for_a_page(const WaitingThread& thread) {
    return thread.call.empty() && one_of(thread.wait_channel, {"folio_wait", "page_bit"});
}

bool waits_for_delivery(const WaitingThread& thread) {
    return runs(thread, [](const Frame& f) { return is_delivery_wait(f.file); });
}

bool fetches_data(const WaitingThread& thread) {
    return runs(thread, [](const Frame& f) { return is_data_loading(f.file, f.function); });
}

bool joins_others(const WaitingThread& thread) {
    return runs(thread, [](const Frame& f) { return is_collective(f.file); });
}

bool pauses_between_steps(const WaitingThread& thread) {
    return runs(thread, [](const Frame& f) {
        return is_compiler(f.file) || is_pause_between_steps(f.function);
    });
}

bool waits_for_somebody(const WaitingThread& thread) {
    return thread.inside || thread.wait == WaitKind::lock || thread.wait == WaitKind::child ||
           thread.wait == WaitKind::disk || thread.wait == WaitKind::file_lock ||
           fetches_data(thread) || joins_others(thread);
}

bool is_stopped(const StalledProcess& process) {
    return !process.threads.empty() && process.threads.front().wait == WaitKind::stopped;
}

bool will_deliver_nothing(const StalledProcess& worker) {
    if (is_stopped(worker)) return true;
    return !worker.threads.empty() && worker.threads.front().own_lock &&
           worker.threads.front().inside;
}

bool is_at_work(const WaitingThread& thread) {
    // A forked child still carries its parent's frames; its own begin where it was started.
    auto begin = thread.frames.begin();
    for (auto frame = thread.frames.begin(); frame != thread.frames.end(); ++frame)
        if (frame->file.ends_with("/multiprocessing/process.py") ||
            frame->file.ends_with("/multiprocessing/popen_fork.py"))
            begin = frame + 1;
    const Frame* own = nullptr;
    for (auto frame = begin; frame != thread.frames.end(); ++frame) {
        if (is_own_code(frame->file)) own = &*frame;
        // A frame that waits for the next task is not at work.
        else if (is_delivery_wait(frame->file))
            own = nullptr;
    }
    return own != nullptr;
}

bool has_a_task(const WaitingThread& thread) {
    bool given = false;
    for (const Frame& frame : thread.frames) {
        if (is_own_code(frame.file) && given) return true;
        // Every thread begins in threading's own code, which gives no task.
        if (!is_own_code(frame.file) && !is_notice_wait(frame.file)) given = true;
    }
    return false;
}

const Frame* innermost_own(const WaitingThread& thread) {
    return innermost_own_frame(thread.frames);
}

const WaitingThread* thread_of(const StalledProcess& process, int tid) {
    for (const WaitingThread& thread : process.threads)
        if (thread.tid == tid) return &thread;
    return nullptr;
}

bool is_debugged(const StalledProcess& process) {
    return process.traced ||
           std::any_of(process.threads.begin(), process.threads.end(),
                       [](const WaitingThread& thread) {
                           return runs(thread, [](const Frame& f) { return is_debugger(f.file); });
                       });
}

bool waits_for_a_signal(const StalledProcess& only) {
    if (only.threads.size() != 1) return false;
    const WaitingThread& thread = only.threads.front();
    if (thread.frames.empty()) return true;
    // A signal handler does not fill a queue.
    return !waits_for_delivery(thread) && is_notice_wait(thread.frames.back().file);
}

}  // namespace holdfast
