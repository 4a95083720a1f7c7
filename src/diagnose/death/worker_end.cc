#include "diagnose/death/worker_end.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <utility>

#include "base/text.h"
#include "base/time.h"
#include "diagnose/autopsy.h"
#include "diagnose/death/lost_peer.h"
#include "diagnose/death/stop_signals.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/oom/oom_kill.h"
#include "diagnose/text/last_text.h"

namespace holdfast {
namespace {

// Unless the parent's words name the child, the parent must fail within this time to count as a
// consequence.
constexpr Nanos right_after{10'000'000'000};

bool has(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

std::optional<int> number_at(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && std::isdigit(static_cast<unsigned char>(text[length])) != 0)
        ++length;
    return parse_number<int>(text.substr(0, length));
}

// "(pid 4243)", "(pid(s) 4243, 4244)", "(pid: 4243)", "PID 4243"
std::vector<int> pids_in(std::string_view line) {
    std::vector<int> pids;
    for (const std::string_view mark : {"(pid ", "(pid(s) ", "(pid: ", "PID "}) {
        std::size_t at = line.find(mark);
        if (at == std::string_view::npos) continue;
        at += mark.size();
        while (const std::optional<int> pid = number_at(line.substr(at))) {
            pids.push_back(*pid);
            at = line.find_first_not_of("0123456789", at);
            if (at == std::string_view::npos || line.substr(at, 2) != ", ") break;
            at += 2;
        }
        break;
    }
    return pids;
}

std::optional<int> signal_in(std::string_view line) {
    struct Word {
        std::string_view text;
        int signal;
    };
    static constexpr std::array<Word, 15> words{{{"signal: Killed", SIGKILL},
                                                 {"SIGKILL", SIGKILL},
                                                 {"exitcode  : -9", SIGKILL},
                                                 {"exitcode: -9", SIGKILL},
                                                 {"signal: Segmentation fault", SIGSEGV},
                                                 {"SIGSEGV", SIGSEGV},
                                                 {"exitcode: -11", SIGSEGV},
                                                 {"exitcode  : -11", SIGSEGV},
                                                 {"signal: Aborted", SIGABRT},
                                                 {"SIGABRT", SIGABRT},
                                                 {"exitcode: -6", SIGABRT},
                                                 {"signal: Bus error", SIGBUS},
                                                 {"SIGBUS", SIGBUS},
                                                 {"signal: Illegal instruction", SIGILL},
                                                 {"SIGILL", SIGILL}}};
    for (const Word& word : words)
        if (has(line, word.text)) return word.signal;
    return std::nullopt;
}

bool speaks_of_worker(std::string_view line) {
    static constexpr std::array<std::string_view, 10> marks{
        "DataLoader worker",   "TerminatedWorkerError",  "BrokenProcessPool", "process pool was",
        "died with <Signals.", "ProcessExitedException", "ChildFailedError",  "exitcode",
        "received by PID",     "ProcessRaisedException"};
    return std::any_of(marks.begin(), marks.end(),
                       [line](std::string_view mark) { return has(line, mark); });
}

// A broken pipe to a dead worker shows up as one of these exceptions.
bool about_a_child(const TracebackText& traceback) {
    if (speaks_of_worker(exception_line(traceback))) return true;
    for (const std::string_view type : {"EOFError", "BrokenPipeError", "ConnectionResetError"})
        if (traceback.type == type) return true;
    return false;
}

bool descends(const Evidence& all, const ProcessEvidence& process, int ancestor) {
    int parent = process.parent;
    for (int depth = 0; depth < 32; ++depth) {
        if (parent == ancestor) return true;
        const ProcessEvidence* next = all.process(parent);
        if (next == nullptr || next->parent == parent) return false;
        parent = next->parent;
    }
    return false;
}

bool fatal(int signal) {
    for (const int number : {SIGKILL, SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGFPE})
        if (signal == number) return true;
    return false;
}

Death told_by_text(const Death& parent, const ProcessEvidence* process, int pid, int signal) {
    return {.all = parent.all,
            .process = process,
            .pid = pid,
            .exit = {.code = std::nullopt, .signal = signal},
            .told = Death::Told::text,
            .time = process != nullptr && process->ended ? process->ended : parent.time,
            .decides = false};
}

// The worker that the words name: its own exit status if we read it, else what the parent says.
std::optional<Death> named_child(const Death& parent, const WorkerText& text) {
    for (const int pid : text.pids) {
        const ProcessEvidence* process = parent.all.process(pid);
        if (process != nullptr && process->exit) {
            if (process->exit->signal && fatal(*process->exit->signal))
                return death_of(parent.all, *process);
            continue;
        }
        if (text.signal) return told_by_text(parent, process, pid, *text.signal);
    }
    return std::nullopt;
}

// A pool that loses a worker kills the others at almost the same moment. Of two such ends, the one
// that has a reason of its own comes first.
bool has_own_reason(const Evidence& all, const ProcessEvidence& process) {
    if (!process.exit || process.exit->signal != SIGKILL) return process.exit.has_value();
    const std::optional<Death> death = death_of(all, process);
    return death && oom_kill_of(*death).has_value();
}

bool before(const Evidence& all, const ProcessEvidence& a, const ProcessEvidence& b) {
    constexpr Nanos same_moment{1'000'000'000};
    const bool together =
        *a.ended <= later(*b.ended, same_moment) && *b.ended <= later(*a.ended, same_moment);
    const bool a_reason = has_own_reason(all, a);
    if (together && a_reason != has_own_reason(all, b)) return a_reason;
    return *a.ended < *b.ended;
}

// The first child that died of a fatal signal soon before the parent ended.
const ProcessEvidence* first_child(const Death& parent, std::optional<int> signal, bool seen) {
    const ProcessEvidence* first = nullptr;
    for (const ProcessEvidence& process : parent.all.processes) {
        if (process.pid == parent.pid || !process.ended || !parent.time) continue;
        if (*process.ended > *parent.time || *process.ended < earlier(*parent.time, right_after))
            continue;
        if (process.exit.has_value() != seen || !descends(parent.all, process, parent.pid))
            continue;
        if (seen) {
            if (!process.exit->signal || !fatal(*process.exit->signal)) continue;
            if (signal && process.exit->signal != signal) continue;
        }
        if (first == nullptr || before(parent.all, process, *first)) first = &process;
    }
    return first;
}

// A child whose pid is in the parent's last exception: that is never a coincidence.
const ProcessEvidence* child_named_in(const Death& parent, std::string_view line) {
    for (std::size_t at = 0;
         (at = line.find_first_of("0123456789", at)) != std::string_view::npos;) {
        const std::optional<int> number = number_at(line.substr(at));
        at = std::min(line.find_first_not_of("0123456789", at), line.size());
        const ProcessEvidence* child = number ? parent.all.process(*number) : nullptr;
        if (child == nullptr || child->pid == parent.pid || !child->exit || !child->ended) continue;
        if (child->exit->signal && fatal(*child->exit->signal) && parent.time &&
            *child->ended <= *parent.time && descends(parent.all, *child, parent.pid))
            return child;
    }
    return nullptr;
}

// "fold 3 died with -9": a negative number is how Python gives the signal that ended a child,
// whatever the words around it.
std::optional<int> signal_as_status(std::string_view line) {
    const auto digit = [&](std::size_t at) {
        return at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0;
    };
    const auto part_of_word = [&](std::size_t at) {
        return at < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[at])) != 0 || line[at] == '-' ||
                line[at] == '_' || (line[at] == '.' && digit(at + 1)));
    };
    for (std::size_t at = 0; (at = line.find('-', at)) != std::string_view::npos; ++at) {
        if (at > 0 && part_of_word(at - 1)) continue;
        const std::optional<int> number = number_at(line.substr(at + 1));
        const std::size_t end = std::min(line.find_first_not_of("0123456789", at + 1), line.size());
        if (number && fatal(*number) && !part_of_word(end)) return number;
    }
    return std::nullopt;
}

// The parent says that a child failed: "returned non-zero exit status 1", torchrun's
// ChildFailedError, torch's spawn.
bool told_of_failure(const TracebackText& traceback) {
    for (const std::string_view type :
         {"ChildFailedError", "CalledProcessError", "ProcessRaisedException"})
        if (traceback.type.ends_with(type)) return true;
    return false;
}

// Of two children that raised; their ends may be noticed in another order.
bool raised_first(const Evidence& all, const ProcessEvidence& a, const ProcessEvidence& b) {
    return began_to_end(*death_of(all, a)) < began_to_end(*death_of(all, b));
}

// The first child that ended with an exception of its own. Children that fail because of it raise
// later.
const ProcessEvidence* child_that_raised(const Death& parent) {
    const ProcessEvidence* first = nullptr;
    for (const ProcessEvidence& process : parent.all.processes) {
        if (process.pid == parent.pid || !process.ended || !process.exit || !parent.time) continue;
        if (process.exit->code != 1 || *process.ended > *parent.time) continue;
        if (!descends(parent.all, process, parent.pid)) continue;
        if (const auto death = death_of(parent.all, process); !death->own_traceback) continue;
        if (first == nullptr || raised_first(parent.all, process, *first)) first = &process;
    }
    return first;
}

// The same child, or the one with an end of its own if this one only lost its peer.
const ProcessEvidence* behind(const Death& parent, const ProcessEvidence& child) {
    const Death death = *death_of(parent.all, child);
    if (!peer_words(death)) return &child;
    const ProcessEvidence* own = own_end_behind(death, parent);
    return own != nullptr ? own : &child;
}

FatalChild felled_by(const Death& child, bool named, std::string line) {
    return {autopsy_of(child), named, std::move(line)};
}

// A launcher passes on the end of its program: as 128 + 9 (shells), as -9, which becomes 247
// (sys.exit(returncode)), or as the same status.
std::optional<FatalChild> child_handed_on(const Death& parent) {
    const int code = *parent.exit.code;
    const ProcessEvidence* same = nullptr;
    for (const ProcessEvidence& process : parent.all.processes) {
        if (process.parent != parent.pid || !process.exit || !process.ended || !parent.time)
            continue;
        if (*process.ended > *parent.time || *process.ended < earlier(*parent.time, right_after))
            continue;
        const std::optional<int> signal = process.exit->signal;
        if (signal && (code == 128 + *signal || code == 256 - *signal))
            return felled_by(*death_of(parent.all, process), true, {});
        // Many children fail without being the reason; one that raised an exception has a reason of
        // its own.
        if (process.exit->code == code && death_of(parent.all, process)->own_traceback &&
            (same == nullptr || !raised_first(parent.all, *same, process)))
            same = &process;
    }
    if (same == nullptr || final_exception(parent) != nullptr) return std::nullopt;
    return felled_by(*death_of(parent.all, *behind(parent, *same)), false, {});
}

// A child that came and went between two looks, but whose pid and cgroup the kernel's log names.
// Counts only if the parent reports a SIGKILL and the log names nobody else in that cgroup.
std::optional<int> unseen_and_taken(const Death& parent) {
    const CgroupEvidence* cgroup = parent.cgroup();
    if (cgroup == nullptr || cgroup->levels.empty() || !parent.time ||
        !parent.all.host.in_first_pid_namespace)
        return std::nullopt;
    std::optional<int> taken;
    for (const KernelLogEntry& entry : parent.all.kernel_log) {
        if (entry.kind != KernelLogEntry::Kind::oom_kill || !entry.pid) continue;
        if (entry.task_memcg != cgroup->levels.front().path) continue;
        if (entry.time > *parent.time || entry.time < earlier(*parent.time, right_after)) continue;
        if (parent.all.process(*entry.pid) != nullptr || taken) return std::nullopt;
        taken = entry.pid;
    }
    return taken;
}

}  // namespace

std::optional<WorkerText> worker_text(std::string_view text) {
    constexpr std::size_t reach = 60;  // two chained tracebacks
    std::optional<WorkerText> found;
    for (const std::string_view line : last_lines(text, reach)) {
        if (!speaks_of_worker(line)) continue;
        if (!found) found.emplace();
        if (std::vector<int> pids = pids_in(line); !pids.empty()) found->pids = std::move(pids);
        if (const std::optional<int> signal = signal_in(line)) {
            found->signal = signal;
            found->line = std::string(trim(line));
        }
        if (found->line.empty()) found->line = std::string(trim(line));
    }
    if (!found) return std::nullopt;
    // joblib writes the exit codes some lines below the exception's name.
    if (!found->signal && has(found->line, "TerminatedWorkerError"))
        for (const std::string_view line : last_lines(text, 8))
            if (const std::optional<int> signal = signal_in(line)) found->signal = signal;
    return found;
}

std::optional<int> rank_that_raised(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr || death.exit.code != 1) return std::nullopt;
    constexpr std::string_view mark = "-- Process ";
    for (const ExceptionEvidence& exception : agent->exceptions) {
        if (!exception.type.ends_with("ProcessRaisedException")) continue;
        const std::size_t at = exception.message.find(mark);
        if (at != std::string::npos)
            return number_at(std::string_view(exception.message).substr(at + mark.size()));
    }
    return std::nullopt;
}

std::optional<FatalChild> child_that_felled(const Death& parent) {
    if (!parent.decides || !parent.exit.code || *parent.exit.code == 0) return std::nullopt;
    if (parent.told == Death::Told::wrapper && parent.process == nullptr) return std::nullopt;
    if (asked_to_stop(parent) != nullptr) return std::nullopt;
    if (std::optional<FatalChild> child = child_handed_on(parent)) return child;
    const TracebackText* traceback = final_exception(parent);
    if (traceback != nullptr && told_of_failure(*traceback) &&
        first_child(parent, std::nullopt, true) == nullptr)
        if (const ProcessEvidence* child = child_that_raised(parent))
            return felled_by(*death_of(parent.all, *behind(parent, *child)), true,
                             exception_line(*traceback));
    // The parent is a rank itself.
    if (peer_words(parent)) {
        const ProcessEvidence* own = own_end_behind(parent, parent);
        if (own == nullptr) return std::nullopt;
        return felled_by(*death_of(parent.all, *own), true, exception_line(*traceback));
    }
    if (traceback != nullptr && !about_a_child(*traceback)) {
        const std::string said = exception_line(*traceback);
        const ProcessEvidence* child = child_named_in(parent, said);
        if (const std::optional<int> signal = signal_as_status(said); signal && child == nullptr)
            child = first_child(parent, signal, true);
        if (child == nullptr) return std::nullopt;
        return felled_by(*death_of(parent.all, *child), true, said);
    }

    const std::optional<WorkerText> text =
        parent.all.stderr_seen ? worker_text(parent.all.stderr_tail) : std::nullopt;
    const bool related = traceback != nullptr || text;
    const std::string line =
        text ? text->line : (traceback != nullptr ? exception_line(*traceback) : "");
    if (text)
        if (const std::optional<Death> death = named_child(parent, *text))
            return felled_by(*death, true, line);
    const std::optional<int> signal = text ? text->signal : std::nullopt;
    if (const ProcessEvidence* child = first_child(parent, signal, true))
        return felled_by(*death_of(parent.all, *child), related, line);
    if (!signal) return std::nullopt;
    // Nobody read the child's status, but the parent says how a child ended.
    const ProcessEvidence* child = first_child(parent, std::nullopt, false);
    if (child == nullptr && signal == SIGKILL)
        if (const std::optional<int> pid = unseen_and_taken(parent))
            return felled_by(told_by_text(parent, nullptr, *pid, *signal), true, line);
    return felled_by(told_by_text(parent, child, child != nullptr ? child->pid : 0, *signal),
                     child != nullptr, line);
}

}  // namespace holdfast
