// HF701 to HF706 and HF806 in words: who waits for whom, and how long.
#include "diagnose/facts/stalls.h"
#include "base/format.h"
#include "base/text.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/words/account.h"
#include "diagnose/words/phrases.h"
#include "diagnose/words/verdict.h"
#include "diagnose/words/waiting.h"
#include "knowledge/places.h"
#include "stall/waits.h"

namespace holdfast::facts {
namespace {

std::string at(const WaitingThread& thread) {
    const std::optional<Where> where = own_place(thread.frames);
    return where ? " at " + file_and_line(*where) : std::string();
}

// A child whose pipe is full, while its parent waits for its end.
const WaitingThread* writes_to_nobody(const StallEvidence& stall) {
    for (const StalledProcess& process : stall.processes)
        for (const WaitingThread& thread : process.threads)
            if (thread.wait == WaitKind::write && thread.inside) return &thread;
    return nullptr;
}

std::string story(const Autopsy& death, const Standstill& stand) {
    const StalledProcess& process = *stand.culprit;
    const WaitingThread& main = *stand.thread;
    const std::string who = name_of(death, process);
    const std::vector<const WaitingThread*> locked = threads_in_locks(process);
    if (locked.size() >= 2)
        return formatted(
            "{} threads of {} wait for locks that none of them will release: {}{} and {}{}.",
            locked.size(), who, thread_label(*locked[0], process), at(*locked[0]),
            thread_label(*locked[1], process), at(*locked[1]));
    if (process.threads.size() == 1 && waits_for_a_lock(main))
        return formatted(
            "{} waits{} for a lock, and it has no other thread that could release it: it holds the "
            "lock itself, or the holder has ended.",
            who, at(main));
    const WaitingThread* writer = writes_to_nobody(*stand.stall);
    if (writer != nullptr && main.wait == WaitKind::child)
        return formatted(
            "{} waits{} for a child to end, and the child waits for somebody to read its output: "
            "the pipe between them is full.",
            who, at(main));
    return formatted(
        "{} waits{}, and so does every other thread and process of it; nothing outside can wake "
        "them.",
        who, at(main));
}

// A thread that should have released the lock or filled the queue may have died before.
void add_dead_threads(const Autopsy& death, const Standstill& stand, Account& account) {
    for (const AgentEvidence& agent : death.all.agents) {
        if (agent.pid != stand.culprit->pid) continue;
        for (const ExceptionEvidence& thrown : agent.exceptions) {
            if (thrown.in_main_thread) continue;
            const std::optional<Where> where = own_place(thrown.frames);
            const std::string place = where ? " at " + file_and_line(*where) : std::string();
            account.evidence.push_back({thrown.thread + " ended before",
                                        shortened(thrown.type + ": " + thrown.message) + place});
            if (account.summary.ends_with('.')) account.summary.pop_back();
            account.summary +=
                formatted("; its thread {} had died of {}{}.", thrown.thread, thrown.type, place);
            return;
        }
    }
}

void add_lock_fixes(const Standstill& stand, Account& account) {
    if (stand.kind == StandstillKind::held_interpreter) {
        account.fixes.push_back(
            {"Let the extension release the interpreter's lock around blocking calls.",
             "Py_BEGIN_ALLOW_THREADS ... Py_END_ALLOW_THREADS   # or ctypes.CDLL, not PyDLL"});
        return;
    }
    if (writes_to_nobody(*stand.stall) != nullptr) {
        account.fixes.push_back({"Read the child's output while it runs, instead of waiting first.",
                                 "out, err = process.communicate()"});
        return;
    }
    const WaitingThread& main = *stand.thread;
    if (runs(main, [](const Frame& f) { return is_delivery_wait(f.file); })) {
        account.fixes.push_back(
            {"Use a pool that notices a lost worker: it raises BrokenProcessPool instead of "
             "waiting for ever.",
             "concurrent.futures.ProcessPoolExecutor(max_workers=4)"});
        account.fixes.push_back({"Or give the wait a time limit.", "result.get(timeout=600)"});
        return;
    }
    if (stand.culprit->threads.size() == 1) {
        account.fixes.push_back(
            {"If a function that holds the lock calls another that takes it too, use a reentrant "
             "lock.",
             "lock = threading.RLock()"});
        return;
    }
    account.fixes.push_back(
        {"Take the locks in the same order everywhere, or hold only one at a time.", ""});
    account.fixes.push_back({"Or give up after a while, so that the deadlock becomes an error.",
                             "if not lock.acquire(timeout=60): raise RuntimeError(\"lock\")"});
}

// The numbers after the word: "Rank 1 failed to pass monitoredBarrier", "Ranks 1, 3 failed".
std::string ranks_named(std::string_view line) {
    for (const std::string_view word : {"Ranks ", "Rank "}) {
        const std::size_t at = line.find(word);
        if (at == std::string_view::npos) continue;
        std::string_view rest = line.substr(at + word.size());
        const std::size_t end = rest.find_first_not_of("0123456789, ");
        const std::string_view numbers = trim(rest.substr(0, end));
        if (!numbers.empty() && line.find("failed to pass") != std::string_view::npos)
            return std::string(numbers);
    }
    return {};
}

void add_rank_fixes(Account& account) {
    account.fixes.push_back(
        {"Make sure that every rank makes this call the same number of times: the same number of "
         "batches, and no branch on the rank around it.",
         "DistributedSampler(data, drop_last=True)"});
    account.fixes.push_back(
        {"Let torch name the rank and the call.", "TORCH_DISTRIBUTED_DEBUG=DETAIL"});
}

// Which resource of the machine was short.
std::string shortage(const Autopsy& death, UnevenSteps::Short what) {
    const PressureEvidence& pressure = death.all.pressure;
    switch (what) {
    case UnevenSteps::Short::memory:
        return formatted("everything waited for memory {:.0f} % of the time",
                         *pressure.memory_full);
    case UnevenSteps::Short::disk:
        return formatted("everything waited for a disk {:.0f} % of the time", *pressure.io_full);
    case UnevenSteps::Short::cpu: break;
    }
    return formatted("some task waited for a CPU {:.0f} % of the time", *pressure.cpu_some);
}

}  // namespace

void tell(const ForkDeadlock& facts, const Autopsy& death, Account& account) {
    const Standstill& stand = facts.stand;
    const ProcessEvidence* child = death.all.process(stand.culprit->pid);
    const ProcessEvidence* parent = child != nullptr ? death.all.process(child->parent) : nullptr;
    account = account_of_stall(
        death, stand,
        formatted("{} was forked while a lock was held, and has waited{} for it {}: the thread "
                  "that would release it was not copied.",
                  name_of(death, *stand.culprit), at(*stand.thread), for_how_long(stand)));
    if (child != nullptr && child->cpu_time)
        account.saw("CPU time since the fork", human(*child->cpu_time));
    if (parent != nullptr && parent->threads_peak)
        account.saw("threads of its parent", formatted("{} at most", *parent->threads_peak));
    const bool loader = runs(*stand.thread, [](const Frame& f) {
        return is_data_loading(f.file, f.function) ||
               f.file.find("/torch/utils/data/") != std::string::npos;
    });
    account.advise(
        "Start workers afresh instead of forking them.",
        loader ? "DataLoader(..., multiprocessing_context=\"spawn\", persistent_workers=True)"
               : "multiprocessing.set_start_method(\"spawn\")");
    account.advise("Or create the workers before anything that starts threads or takes the lock.");
}

void tell(const HeldInterpreter& facts, const Autopsy& death, Account& account) {
    const Standstill& stand = facts.stand;
    account =
        account_of_stall(death, stand,
                         formatted("{} of {} {} in native code and keeps the interpreter's lock "
                                   "(GIL): no other Python thread of the process can run.",
                                   thread_label(*stand.thread, *stand.culprit),
                                   name_of(death, *stand.culprit), what_it_does(*stand.thread)));
    add_lock_fixes(stand, account);
}

void tell(const LockDeadlock& facts, const Autopsy& death, Account& account) {
    account = account_of_stall(death, facts.stand, story(death, facts.stand));
    add_dead_threads(death, facts.stand, account);
    add_lock_fixes(facts.stand, account);
}

void tell(const LoaderStall& facts, const Autopsy& death, Account& account) {
    const Standstill& stand = facts.stand;
    const std::string waiting = name_of(death, *stand.waiting);
    if (stand.kind == StandstillKind::unanswered_read) {
        account = account_of_stall(death, stand,
                                   formatted("{} has waited {} for an answer: it {}.", waiting,
                                             for_how_long(stand), what_it_does(*stand.thread)));
        if (stand.thread->target.starts_with("socket:"))
            account.advise("Give the read a time limit: a hang becomes an exception.",
                           "sock.settimeout(60)");
        else
            account.advise("Give it an empty stdin, so that nothing waits for input.",
                           "python train.py < /dev/null");
        return;
    }
    account =
        account_of_stall(death, stand,
                         stand.culprit != stand.waiting
                             ? formatted("{} has waited {} for data from {}, which {}.", waiting,
                                         for_how_long(stand), name_of(death, *stand.culprit),
                                         what_it_does(*stand.thread))
                             : formatted("{} has waited {} for the next batch: it {}.", waiting,
                                         for_how_long(stand), what_it_does(*stand.thread)));
    if (stand.thread->wait == WaitKind::stopped)
        return account.advise("Let the worker go on.",
                              formatted("kill -CONT {}", stand.culprit->pid));
    if (fetches_data(stand.waiting->threads.front()))
        account.advise(
            "Give the loader a time limit: a hang becomes an exception that "
            "names the worker.",
            "DataLoader(..., timeout=120)");
    else
        account.advise(
            "Find out which thread or process should fill the queue that it waits for: none does "
            "any more. With a time limit, a hang becomes an exception at that line.",
            "queue.get(timeout=120)    # future.result(timeout=120)");
    if (stand.thread->wait == WaitKind::read || stand.thread->wait == WaitKind::poll)
        account.advise("Give network and pipe reads a time limit of their own.");
}

void tell(const NoProgress& facts, const Autopsy& death, Account& account) {
    const Standstill& stand = facts.stand;
    const StallEvidence& stall = *stand.stall;
    const std::optional<Where> where = place_of(stand);
    if (stall.in_loop) {
        account = account_of_stall(
            death, stand,
            formatted("{} is busy, but it has not left the loop{} and has written nothing {}{}.",
                      name_of(death, *stand.culprit),
                      where ? " around " + file_and_line(*where) : std::string(),
                      for_how_long(stand),
                      stall.longest ? formatted(", while it never took longer than {} before",
                                                human(*stall.longest))
                                    : std::string()));
        account.advise("Look at this loop: its condition may never be met.");
        account.advise("Give it a limit, or report its progress.", "holdfast.step()");
        return;
    }
    const std::string usual =
        stall.usual ? formatted(", while one usually takes {}", human(*stall.usual)) : "";
    account =
        account_of_stall(death, stand,
                         formatted("{} is busy, but no step has ended {}{}{}.",
                                   name_of(death, *stand.culprit), for_how_long(stand), usual,
                                   where ? "; it was last seen at " + file_and_line(*where) : ""));
    account.advise("Look at the loop around this line: its condition may never be met.");
    account.advise("If it is meant to take that long, report its progress.", "holdfast.step()");
}

void tell(const IoStall& facts, const Autopsy& death, Account& account) {
    const Standstill& stand = facts.stand;
    const WaitingThread& thread = *stand.thread;
    const std::string on = thread.target.empty() ? std::string() : " on " + thread.target;
    const std::optional<Where> where = own_place(thread.frames);
    account = account_of_stall(
        death, stand,
        formatted("{} has been blocked in the kernel {}{}{}{}.", name_of(death, *stand.culprit),
                  for_how_long(stand), on, where ? ", called from " + file_and_line(*where) : "",
                  thread.wait_channel.empty() ? "" : formatted(" ({})", thread.wait_channel)));
    account.advise("Check whether the filesystem responds at all.",
                   "timeout 5 ls DIRECTORY; dmesg | tail; nfsstat -c");
    account.advise("Copy the data to a local disk before training.");
}

void tell(const CollectiveStall& facts, const Autopsy& death, Account& account) {
    const Standstill& stand = facts.stand;
    account = account_of_stall(
        death, stand,
        stand.culprit != stand.waiting
            ? formatted("{} did not join the collective that {} has waited in {}: it {}.",
                        name_of(death, *stand.culprit), name_of(death, *stand.waiting),
                        for_how_long(stand), what_it_does(*stand.thread))
            : formatted("{} has waited {} for the other ranks.", name_of(death, *stand.waiting),
                        for_how_long(stand)));
    add_rank_fixes(account);
}

void tell(const CollectiveTimeout& facts, const Autopsy& death, Account& account) {
    const std::string ranks = ranks_named(facts.said.line);
    account = account_of(
        death, ranks.empty() ? formatted("{} waited for the other ranks until its time limit: {}",
                                         who(death), shortened(facts.said.line))
                             : formatted("Rank {} did not join the others in time: {}", ranks,
                                         shortened(facts.said.line)));
    account.saw(facts.said.source, shortened(facts.said.line));
    add_rank_fixes(account);
}

void tell(const RankTimeout& facts, const Autopsy& death, Account& account) {
    const ExceptionEvidence& thrown = *facts.thrown;
    account = account_of(
        death, formatted("{} waited for the other ranks until its time limit: {}",
                         facts.rank->rank ? formatted("Rank {}", *facts.rank->rank) : "A rank",
                         shortened(thrown.message)));
    account.saw("exception", shortened(thrown.type + ": " + thrown.message));
    add_rank_fixes(account);
}

void tell(const LostWorker& facts, const Autopsy& death, Account& account) {
    account = account_of(facts.of_worker);
    if (facts.parent == nullptr) {
        account.summary = formatted(
            "The kernel's OOM killer ended {} workers one after another, the last of them {}, "
            "until somebody stopped {}. Each time, another worker was started in its place.",
            facts.one_by_one, who(*facts.of_worker.death), who(death));
        return;
    }
    const std::string parent = name_of(death, *facts.parent);
    if (facts.oom_killed) {
        account.summary = formatted(
            "The kernel's OOM killer ended the worker {}, and {} still waits for its result.",
            who(*facts.of_worker.death), parent);
        return;
    }
    if (account.summary.ends_with('.')) account.summary.pop_back();
    account.summary += formatted(", and {} still waits for its result.", parent);
}

void tell(const DeadThread& facts, const Autopsy&, Account& account) {
    const ExceptionEvidence& thrown = *facts.thrown;
    const std::string said =
        thrown.message.empty() ? thrown.type : thrown.type + ": " + thrown.message;
    account.summary = formatted(
        "The thread {} ended with an exception nobody caught: {}; the main thread "
        "still waits.",
        thrown.thread, shortened(said));
    account.saw("exception in " + thrown.thread, shortened(said));
    account.advise(
        "Hand the exception on to whoever waits: put it into the queue, or use a future.",
        "concurrent.futures.ThreadPoolExecutor().submit(work).result()");
}

void tell(const UnevenSteps& facts, const Autopsy& death, Account& account) {
    const StepsEvidence& steps = facts.agent->steps;
    const std::string why = shortage(death, facts.what);
    account.summary =
        formatted("One step in ten takes {} or longer, while {} is usual; meanwhile {}.",
                  human(*steps.recent_slowest), human(*steps.recent_median), why);
    account.saw("the last steps",
                formatted("median {}; the slowest tenth take {} or longer",
                          human(*steps.recent_median), human(*steps.recent_slowest)));
    account.saw("pressure in the last minute", why);
    account.advise("See who else uses the machine, and leave it a core.",
                   "top -o %CPU; cat /proc/pressure/cpu /proc/pressure/io");
}

}  // namespace holdfast::facts
