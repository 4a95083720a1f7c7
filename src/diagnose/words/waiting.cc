#include "diagnose/words/waiting.h"

#include "base/format.h"
#include "base/text.h"
#include "base/time.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/words/phrases.h"
#include "stall/waits.h"

namespace holdfast {
namespace {

std::string wait_words(const WaitingThread& thread) {
    switch (thread.wait) {
    case WaitKind::running: return "runs";
    case WaitKind::lock: return thread.timed ? "waits, with a time limit," : "waits for a lock";
    case WaitKind::child: return "waits for a child to end";
    case WaitKind::read: return "waits to read from " + thread.target;
    case WaitKind::write: return "waits for room in " + thread.target;
    case WaitKind::poll: return "waits for a descriptor";
    case WaitKind::sleep: return "sleeps";
    case WaitKind::signal: return "waits for a signal";
    case WaitKind::file_lock: return "waits for the lock of " + thread.target;
    case WaitKind::disk: return "is blocked in the kernel";
    case WaitKind::stopped: return "is stopped (SIGSTOP)";
    case WaitKind::unknown:
    case WaitKind::other: break;
    }
    return thread.call.empty() ? "waits" : "waits in " + thread.call;
}

}  // namespace

std::string thread_label(const WaitingThread& thread, const StalledProcess& process) {
    if (thread.tid == process.pid) return "MainThread";
    const bool plain = thread.name.empty() || thread.name.starts_with("python");
    return plain ? formatted("thread {}", thread.tid) : thread.name;
}

std::string what_it_does(const WaitingThread& thread) {
    std::string text = wait_words(thread);
    if (const std::optional<Where> where = own_place(thread.frames)) {
        text += " at " + file_and_line(*where);
        if (!where->function.empty() && where->function != "<module>")
            text += " in " + where->function;
    }
    return text;
}

std::string name_of(const Death& death, const StalledProcess& process) {
    const ProcessEvidence* known = death.all.process(process.pid);
    if (known != nullptr && known->role == Role::worker) return formatted("worker {}", process.pid);
    if (known != nullptr && known->role == Role::rank && known->rank)
        return formatted("rank {} (pid {})", *known->rank, process.pid);
    // Names the script: it says more than the interpreter and the folders.
    std::string name = known != nullptr ? short_command(known->command) : std::string();
    for (std::string_view rest = known != nullptr ? known->command : std::string_view();
         const auto word = next_word(rest);)
        if (word->ends_with(".py")) {
            name = word->substr(word->rfind('/') + 1);
            break;
        }
    return formatted("{} (pid {})", name.empty() ? "the program" : name, process.pid);
}

namespace {

constexpr std::size_t most_threads_told = 8;

std::string thread_name(const Autopsy& death, const StalledProcess& process,
                        const WaitingThread& thread) {
    const bool only_one = death.all.stalls.back().processes.size() == 1;
    if (only_one) return thread_label(thread, process);
    const std::string who = name_of(death, process);
    return thread.tid == process.pid
               ? who
               : formatted("{} of {}", thread_label(thread, process), process.pid);
}

void add_thread(const Autopsy& death, const StalledProcess& process, const WaitingThread& thread,
                Account& account) {
    std::string text = what_it_does(thread);
    std::string kernel;
    if (!thread.call.empty()) kernel = thread.call;
    if (!thread.wait_channel.empty())
        kernel += (kernel.empty() ? "" : ", ") + formatted("wchan {}", thread.wait_channel);
    if (thread.wait == WaitKind::disk)
        kernel += formatted(", state {}", thread.state.value_or('D'));
    if (!kernel.empty()) text += formatted(" ({})", kernel);
    if (thread.owner) text += formatted("; thread {} holds it", *thread.owner);
    if (thread.holds_gil) text += "; holds the interpreter's lock (GIL)";
    if (!thread.native.empty()) text += "; in " + thread.native.front();
    account.saw(thread_name(death, process, thread), std::move(text));
}

}  // namespace

std::string for_how_long(const Standstill& stand) { return "for " + human(stand.lasted); }

Account account_of_stall(const Autopsy& death, const Standstill& stand, std::string summary) {
    const StallEvidence& stall = *stand.stall;
    Account account{std::move(summary)};
    std::string how = human(stand.lasted);
    if (stall.cpu) how += formatted(", {} of CPU time used", human(*stall.cpu));
    if (stall.inside_only) how += "; nobody outside could have ended it";
    account.saw("not moving", how);
    if (stall.steps > 0 && stall.last_step)
        account.saw("steps",
                    formatted("{} ended, the last one {} before the last look{}", stall.steps,
                              human(between(*stall.last_step, stall.seen)),
                              stall.usual ? "; usually every " + human(*stall.usual) : ""));
    std::size_t told = 0;
    const auto tell = [&](const StalledProcess& process) {
        for (const WaitingThread& thread : process.threads) {
            const bool speaks = !thread.frames.empty() || thread.tid == process.pid;
            if (speaks && told++ < most_threads_told) add_thread(death, process, thread, account);
        }
    };
    tell(*stand.culprit);
    for (const StalledProcess& process : stall.processes)
        if (&process != stand.culprit) tell(process);
    return account;
}

std::vector<PythonStack> stall_stacks(const Autopsy& death, const Standstill& stand) {
    std::vector<PythonStack> stacks;
    const auto add = [&](const StalledProcess& process) {
        for (const WaitingThread& thread : process.threads)
            if (!thread.frames.empty())
                stacks.push_back({thread.tid == process.pid && &process == stand.waiting
                                      ? "MainThread"
                                      : thread_name(death, process, thread),
                                  thread.frames});
    };
    add(*stand.culprit);
    for (const StalledProcess& process : stand.stall->processes)
        if (&process != stand.culprit) add(process);
    return stacks;
}

}  // namespace holdfast
