#include "diagnose/stall/waits.h"

#include <initializer_list>
#include <string_view>

#include "base/format.h"
#include "diagnose/stall/standstill.h"
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

bool is_at_work(const WaitingThread& thread) {
    // A forked child still carries the frames of its parent; its own begin where it was started.
    auto begin = thread.frames.begin();
    for (auto frame = thread.frames.begin(); frame != thread.frames.end(); ++frame)
        if (frame->file.ends_with("/multiprocessing/process.py") ||
            frame->file.ends_with("/multiprocessing/popen_fork.py"))
            begin = frame + 1;
    const Frame* own = nullptr;
    for (auto frame = begin; frame != thread.frames.end(); ++frame) {
        if (is_own_code(frame->file)) own = &*frame;
        // What it called to be told what to do next.
        else if (is_delivery_wait(frame->file))
            own = nullptr;
    }
    return own != nullptr;
}

const Frame* innermost_own(const WaitingThread& thread) {
    return innermost_own_frame(thread.frames);
}

const WaitingThread* thread_of(const StalledProcess& process, int tid) {
    for (const WaitingThread& thread : process.threads)
        if (thread.tid == tid) return &thread;
    return nullptr;
}

bool is_forked(const Evidence& evidence, const ProcessEvidence& process) {
    const ProcessEvidence* parent = evidence.process(process.parent);
    return parent != nullptr && process.python && parent->python && !process.command.empty() &&
           process.command == parent->command;
}

}  // namespace holdfast
