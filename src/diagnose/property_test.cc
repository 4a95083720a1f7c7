// Whatever the evidence, there is a verdict, and never a certain OOM without a trace of one.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "diagnose/evidence_builder.h"
#include "diagnose/rule.h"

namespace holdfast::testing {
namespace {

class Dice {
public:
    explicit Dice(unsigned seed) : engine_(seed) {}
    std::uint64_t upto(std::uint64_t most) {
        return std::uniform_int_distribution<std::uint64_t>(0, most)(engine_);
    }
    bool coin() { return upto(1) == 1; }
    template <class T>
    std::optional<T> maybe(T value) {
        return coin() ? std::optional<T>(value) : std::nullopt;
    }
    Nanos time() {
        if (upto(50) == 0) return coin() ? Nanos::max() : Nanos::min();
        return Nanos(static_cast<std::int64_t>(upto(12'000'000'000)));
    }
    Bytes bytes() { return upto(9) == 0 ? Bytes{upto(~0ULL)} : Bytes::mib(upto(600)); }
    ExitStatus exit() {
        static constexpr int signals[] = {SIGKILL, SIGKILL, SIGTERM, SIGSEGV, SIGABRT, SIGBUS,
                                          SIGFPE,  SIGILL,  SIGINT,  SIGXCPU, SIGPIPE, 64};
        static constexpr int codes[] = {0, 1, 1, 2, 3, 130, 137, 143, 255};
        if (coin()) return {std::nullopt, signals[upto(std::size(signals) - 1)]};
        return {codes[upto(std::size(codes) - 1)], std::nullopt};
    }
    std::string words() {
        static constexpr const char* texts[] = {
            "",
            "MemoryError",
            "Unable to allocate 3 GiB",
            "[Errno 28] No space left on device: '/d/x'",
            "DataLoader worker (pid 201) is killed by signal: Killed",
            "free(): invalid pointer",
            "Fatal Python error: Aborted",
            "insufficient shared memory (shm)",
            "can't start new thread",
            "std::bad_alloc",
            "Too many open files",
            "(pid ",
            "' \" \n\n\xff"};
        return texts[upto(std::size(texts) - 1)];
    }

private:
    std::mt19937 engine_;
};

ProcessEvidence random_process(Dice& dice, int pid, int parent) {
    ProcessEvidence p;
    p.pid = pid;
    p.parent = parent;
    p.role = static_cast<Role>(dice.upto(3));
    p.name = dice.coin() ? "python" : "sh";
    p.command = p.name + " x";
    p.python = p.name == "python";
    p.last_seen = dice.time();
    p.ended = dice.maybe(dice.time());
    p.exit = dice.maybe(dice.exit());
    p.cgroup = dice.maybe(static_cast<int>(dice.upto(3)) - 1);
    p.rss = dice.maybe(dice.bytes());
    p.rss_peak = dice.maybe(dice.bytes());
    p.virtual_size = dice.maybe(dice.bytes());
    p.limits.address_space = dice.maybe(dice.bytes());
    p.limits.cpu_seconds_hard = dice.maybe(dice.upto(100));
    p.cpu_time = dice.maybe(dice.time());
    return p;
}

CgroupEvidence random_cgroup(Dice& dice, bool oom_may_move) {
    CgroupEvidence cgroup;
    cgroup.version = dice.coin() ? 2 : 1;
    const std::uint64_t depth = dice.upto(2);
    for (std::uint64_t i = 0; i < depth; ++i) {
        CgroupLevel level;
        level.path = "/a";
        level.limit = dice.maybe(dice.bytes());
        level.peak = dice.maybe(dice.bytes());
        level.limit_hits_first = dice.maybe(dice.upto(2));
        level.limit_hits_last = dice.maybe(dice.upto(4));
        level.oom_first = dice.maybe(dice.upto(1));
        level.oom_last = dice.maybe(dice.upto(3));
        level.oom_kill_first = dice.maybe(std::uint64_t{1});
        level.oom_kill_last = dice.maybe(oom_may_move ? 1 + dice.upto(2) : std::uint64_t{1});
        cgroup.levels.push_back(level);
    }
    if (oom_may_move && dice.coin())
        cgroup.kills.push_back({dice.time(), dice.time(), 0, dice.upto(3)});
    if (dice.upto(3) == 0) cgroup.strangers_gone.push_back(900);
    cgroup.shmem = dice.maybe(dice.bytes());
    return cgroup;
}

Evidence random_evidence(Dice& dice, bool oom_may_move) {
    Evidence e;
    e.main_pid = dice.maybe(100 + static_cast<int>(dice.upto(2)));
    e.ended = dice.upto(3) > 0;
    e.supervisor_lost = dice.coin();
    e.command_alive = dice.upto(4) == 0;
    if (e.ended) e.exit = dice.exit();
    e.end_time = dice.maybe(dice.time());
    const int count = static_cast<int>(dice.upto(3));
    for (int i = 0; i < count; ++i)
        e.processes.push_back(random_process(dice, 100 + i, i == 0 ? 1 : 100));
    if (dice.coin()) e.processes.push_back(random_process(dice, 201, 100));
    for (std::uint64_t i = dice.upto(2); i > 0; --i)
        e.cgroups.push_back(random_cgroup(dice, oom_may_move));
    e.host.total = dice.maybe(dice.bytes());
    e.host.available_last = dice.maybe(dice.bytes());
    e.host.available_least = e.host.available_last;
    e.host.oom_kill_first = dice.maybe(std::uint64_t{2});
    e.host.oom_kill_last = dice.maybe(oom_may_move ? 2 + dice.upto(2) : std::uint64_t{2});
    e.host.in_first_pid_namespace = dice.coin();
    if (dice.coin()) e.neighbours.push_back({900, "n", "n", dice.bytes(), dice.coin()});
    if (dice.upto(3) == 0) {
        KernelLogEntry entry;
        entry.kind = static_cast<KernelLogEntry::Kind>(dice.upto(5));
        // If the evidence must not show an OOM kill, the log names a foreign pid.
        entry.pid = oom_may_move ? 100 + static_cast<int>(dice.upto(2)) : 555;
        entry.time = dice.time();
        e.kernel_log.push_back(entry);
    }
    if (dice.coin())
        e.signals.push_back({dice.time(), dice.coin() ? SIGTERM : SIGINT, 7, 0, "x", false, false});
    if (dice.coin())
        e.disks.push_back(
            {"", dice.coin() ? "/d" : "/dev/shm", "", dice.bytes(), dice.bytes(), Bytes{0}, {}});
    e.stderr_seen = dice.coin();
    e.stderr_tail = dice.words() + "\n" + dice.words();
    if (dice.coin())
        e.traceback =
            TracebackText{{{"a.py", 1, "f"}}, dice.words(), dice.words(), dice.coin(), dice.coin()};
    e.pressure.memory_full = dice.maybe(static_cast<double>(dice.upto(100)));
    e.pressure.major_faults_per_second = dice.maybe(static_cast<double>(dice.upto(1000)));
    return e;
}

bool says_oom(const Statement& finding) {
    for (const CauseId cause :
         {"cgroup-oom"_cause, "host-oom"_cause, "oom-victim"_cause, "worker-oom"_cause})
        if (finding.cause == cause) return true;
    return false;
}

TEST(Property, EveryEvidenceHasAVerdictWithReasons) {
    Dice dice(20261115);
    for (int i = 0; i < 6000; ++i) {
        const Evidence evidence = random_evidence(dice, true);
        const Verdict verdict = diagnose(evidence);
        ASSERT_FALSE(verdict.root.summary.empty()) << i;
        ASSERT_FALSE(verdict.end.summary.empty()) << i;
        const bool same = verdict.root.cause == verdict.end.cause;
        ASSERT_LE(verdict.root.fixes.size() + (same ? 0 : verdict.end.fixes.size()), 3U) << i;
        const bool clean = verdict.root.cause == "clean-exit"_cause;
        if (verdict.outcome != Outcome::running) {
            ASSERT_EQ(clean, verdict.outcome == Outcome::finished) << i;
        }
    }
}

TEST(Property, NoOomIsCertainWithoutACountThatMovedOrALogThatNamesThePid) {
    Dice dice(7);
    for (int i = 0; i < 6000; ++i) {
        const Verdict verdict = diagnose(random_evidence(dice, false));
        for (const Statement* finding : {&verdict.end, &verdict.root})
            ASSERT_FALSE(says_oom(*finding)) << i << ' ' << finding->summary;
        for (const Statement& finding : verdict.contributing)
            ASSERT_FALSE(says_oom(finding)) << i << ' ' << finding.summary;
    }
}

TEST(Property, ACertainOomOfTheDecidingProcessNeedsItsSigkillOrTheLog) {
    Dice dice(99);
    for (int i = 0; i < 6000; ++i) {
        const Evidence evidence = random_evidence(dice, true);
        const Verdict verdict = diagnose(evidence);
        if (!says_oom(verdict.root) || verdict.root.confidence != Confidence::certain) continue;
        ASSERT_EQ(verdict.outcome, Outcome::died) << i;
        ASSERT_TRUE(has_evidence(verdict.root, "oom_kill") ||
                    has_evidence(verdict.root, "kernel log"))
            << i << ' ' << verdict.root.summary;
    }
}

TEST(Registry, HoldsEveryRuleOnce) {
    const auto rules = all_rules();
    for (std::size_t i = 0; i < rules.size(); ++i)
        for (std::size_t j = i + 1; j < rules.size(); ++j) EXPECT_NE(rules[i], rules[j]);
}

}  // namespace
}  // namespace holdfast::testing
