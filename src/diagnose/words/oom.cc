#include "diagnose/words/oom.h"

#include "base/format.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/memory.h"
#include "diagnose/oom/memory_held.h"
#include "diagnose/words/memory_fixes.h"
#include "diagnose/words/phrases.h"

namespace holdfast {
namespace {

void add_limit(Account& account, const LimitReached& reached) {
    const CgroupLevel& level = *reached.level;
    switch (reached.sign) {
    case LimitReached::Sign::oom_event:
        return account.saw("memory.events", moved("oom", *level.oom_first, *level.oom_last));
    case LimitReached::Sign::touched:
        return account.saw("memory.events",
                           moved("max", *level.limit_hits_first, *level.limit_hits_last));
    case LimitReached::Sign::failcnt:
        return account.saw("memory.failcnt",
                           moved("failcnt", *level.limit_hits_first, *level.limit_hits_last));
    case LimitReached::Sign::peak:
        return account.saw("memory.max_usage_in_bytes", part_of(*level.peak, *level.limit));
    case LimitReached::Sign::with_swap:
        return account.saw("memory.memsw.usage_in_bytes",
                           part_of(*level.swap_usage, *level.swap_limit));
    }
}

void add_host_figures(Account& account, const HostEvidence& host) {
    if (host_count_moved(host))
        account.saw("/proc/vmstat", moved("oom_kill", *host.oom_kill_first, *host.oom_kill_last));
    if (host.total && host.available_least)
        account.saw("/proc/meminfo",
                    "MemAvailable down to " + part_of(*host.available_least, *host.total));
}

std::string held(const Autopsy& death) {
    const std::optional<Bytes> own = death.held;
    return own ? formatted("it held {}", human(*own)) : "how much it held was not seen";
}

bool little_of(const Autopsy& death, Bytes limit) {
    const std::optional<Bytes> tree = death.held_by_tree;
    return tree && tree->share_of(limit) < 0.3;
}

std::string eater_name(const facts::Eater& eater, const Autopsy& death) {
    if (eater.files) return "files in shared memory (/dev/shm or another tmpfs)";
    if (eater.crowd > 0)
        return formatted("{} other processes ({}, ...)", eater.crowd,
                         eater.neighbour->command.empty()
                             ? eater.neighbour->name
                             : short_command(eater.neighbour->command));
    if (eater.holder != nullptr) {
        std::string name = eater.holder->name;
        for (const Neighbour& neighbour : death.all.neighbours)
            if (neighbour.pid == eater.holder->pid && !neighbour.command.empty())
                name = short_command(neighbour.command);
        return formatted("{} (pid {})", name, eater.holder->pid);
    }
    std::string name = short_command(eater.neighbour->command);
    if (name.empty()) name = eater.neighbour->name;
    return formatted("{} (pid {})", name, eater.neighbour->pid);
}

}  // namespace

std::string_view oom_counter_file(const CgroupEvidence& cgroup) {
    return cgroup.version == 1 ? "memory.oom_control" : "memory.events";
}

std::string spelled(const OomDoubt& doubt) {
    using Kind = OomDoubt::Kind;
    switch (doubt.kind) {
    case Kind::none: return {};
    case Kind::cgroup_unknown: return "the process's cgroup is not known";
    case Kind::count_unreadable: return "its cgroup has no readable oom_kill count";
    case Kind::unmoved: return "the oom_kill count of its cgroup did not rise";
    case Kind::logged_for_another: return "the kernel log names another process of the cgroup";
    case Kind::first_took_it:
        return formatted("the kill belongs to {}, which died first",
                         doubt.first != nullptr
                             ? formatted("{} (pid {})", doubt.first->name, doubt.first->pid)
                             : std::string());
    case Kind::untimed: return "it is not known when the count rose";
    case Kind::crowd:
        return formatted("the count rose by {} while {} processes of this cgroup ended",
                         doubt.count, doubt.gone);
    case Kind::limit_not_named: return "the kernel log does not say which limit it was";
    case Kind::machine_full_too: return "the limit was touched, but the machine was full as well";
    case Kind::no_oom_event: return "the limit was touched, but no oom event was counted for it";
    case Kind::machine_unsettled: return "the machine's memory figures do not decide it";
    case Kind::no_limit_in_sight:
        return "no limit that is visible from here was reached; an outer one may have been";
    case Kind::own_count_unread: return "the count of its own cgroup could not be read";
    case Kind::filler_unseen:
        return "it was not seen who had filled the limit, and the kernel log was not readable";
    case Kind::status_unseen: return "its exit status was not seen";
    }
    return {};
}

void add_kill(Account& account, const Death& death, const OomKill& kill) {
    if (kill.logged != nullptr) {
        account.saw("kernel log", shortened(kill.logged->text.empty()
                                                ? "oom-kill of pid " + std::to_string(death.pid)
                                                : kill.logged->text));
        if (!kill.logged->constraint.empty()) account.saw("kernel log", kill.logged->constraint);
    }
    if (kill.count)
        account.saw(std::string(oom_counter_file(*death.cgroup())),
                    moved("oom_kill", kill.count->from, kill.count->to));
    if (kill.reached) add_limit(account, *kill.reached);
    if (kill.by_host_figures) add_host_figures(account, death.all.host);
}

void add_doubt(Account& account, const OomKill& kill) {
    if (kill.confidence != Confidence::certain && !kill.doubt.none())
        account.saw("doubt", spelled(kill.doubt));
}

namespace facts {
namespace {

void tell_cgroup_oom(const OomKill& kill, const Autopsy& death, Account& account) {
    const CgroupLevel* level = kill.level;
    const std::string limit = level != nullptr && level->limit
                                  ? formatted("{}, {}", limit_name(*level), human(*level->limit))
                                  : std::string("a memory limit that is not visible from here");
    account.summary =
        formatted("The kernel's OOM killer ended {} at {}; {}.", who(death), limit, held(death));
    if (level != nullptr && level->limit && little_of(death, *level->limit))
        return account.advise(
            "Something else under the same limit had filled it, and was gone before Holdfast "
            "looked: see what else runs there.",
            "systemd-cgtop -m");
    if (level != nullptr) account.advise(raise_limit(death, *level));
    // An idle kernel asked for nothing, so needing less would not help it.
    if (!was_idle_kernel(death)) account.advise(need_less(death));
}

void tell_host_oom(const Autopsy& death, Account& account) {
    const HostEvidence& host = death.all.host;
    const std::string machine = host.total ? formatted(" ({})", human(*host.total)) : "";
    account.summary =
        formatted("The machine{} ran out of memory, and the kernel's OOM killer ended {}; {}.",
                  machine, who(death), held(death));
    account.advise(need_less(death));
    if (host.total)
        account.advise(
            formatted("Close other programs or use a machine with more than "
                      "{} of memory.",
                      human(*host.total)));
}

}  // namespace

void tell(const OomKilled& facts, const Autopsy& death, Account& account) {
    account = account_of(death, {});
    add_kill(account, death, facts.kill);
    if (const std::optional<Bytes> own = death.held)
        account.saw("memory of the process", human(*own));
    add_doubt(account, facts.kill);
    if (facts.kill.scope == OomKill::Scope::cgroup)
        tell_cgroup_oom(facts.kill, death, account);
    else
        tell_host_oom(death, account);
}

void tell(const OomVictim& facts, const Autopsy& death, Account& account) {
    const Eater& eater = facts.eater;
    const std::string name = eater_name(eater, death);
    const std::string what = facts.kill
                                 ? formatted("The kernel's OOM killer ended {}, which", who(death))
                                 : formatted("{} was refused memory while it", who(death));
    account =
        account_of(death, formatted("{} {} {}; {} held {}.", what,
                                    facts.idle ? "ran no cell and held" : "held only",
                                    part_of(facts.own, facts.whole), name, human(eater.held)));
    if (facts.kill) add_kill(account, death, *facts.kill);
    account.saw("memory of the program", part_of(facts.own, facts.whole));
    account.saw("memory of " + name, part_of(eater.held, facts.whole));
    if (eater.files)
        account.advise(
            formatted("Remove files from shared memory: {} lie there.", human(eater.held)),
            "ls -lhS /dev/shm");
    else
        account.advise(formatted("Stop or limit {}, or run this program apart from it.", name));
    if (facts.idle)
        account.advise(
            "Shut down kernels that are not used: an idle one keeps its "
            "memory.");
    else if (facts.kill && facts.kill->scope == OomKill::Scope::cgroup &&
             facts.kill->level != nullptr)
        account.advise(raise_limit(death, *facts.kill->level));
}

void tell(const WorkerOom& facts, const Autopsy& death, Account& account) {
    const Autopsy& child = *facts.child.death;
    const OomKill& kill = facts.kill;
    const bool in_cgroup = kill.scope == OomKill::Scope::cgroup;
    std::string limit = " because the machine was out of memory";
    if (in_cgroup)
        limit = kill.level != nullptr && kill.level->limit
                    ? formatted(" at {}, {}", limit_name(*kill.level), human(*kill.level->limit))
                    : " at a memory limit that is not visible from here";
    const std::optional<Bytes>& held = child.held;
    account = account_of(
        death,
        formatted("The kernel's OOM killer ended the worker {}{}{}, and {} failed because of it.",
                  who(child), limit, held ? formatted(" (it held {})", human(*held)) : "",
                  who(death)));
    if (kill.logged == nullptr) account.evidence.push_back(status_of(child));
    add_kill(account, child, kill);
    if (!facts.child.line.empty()) account.saw("stderr", shortened(facts.child.line));
    add_doubt(account, kill);
    account.advise(need_less(child));
    if (death.python()) account.advise(load_within(death, "holdfast.Loader.like(dataloader"));
    if (in_cgroup && kill.level != nullptr) account.advise(raise_limit(child, *kill.level));
}

}  // namespace facts
}  // namespace holdfast
