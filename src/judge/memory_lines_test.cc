// Which line is blamed, and which programs are left alone.
#include "diagnose/growth/memory_lines.h"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>

#include "evidence/agent_memory.h"
#include "model/json.h"
#include "record/agent_slot_builder.h"

namespace holdfast {
namespace {

using testing::SlotBuilder;

constexpr std::uint64_t mib = 1U << 20U;
constexpr std::int64_t second = 1'000'000'000;
constexpr int windows = 16;

AgentEvidence told(const AgentRecord& record) {
    AgentEvidence agent;
    agent.pid = 1;
    agent.steps.count = record.steps.count;
    agent.memory = memory_history(record, {});
    return agent;
}

using Curve = std::function<double(double)>;  // MiB at a share of the run

// A program of sixteen seconds and ten steps a second.
class Program {
public:
    explicit Program(bool steps = true, bool resident = true) : resident_(resident) {
        for (int i = 0; i < windows; ++i)
            slot_.window(second * (i + 1), steps ? 10U * static_cast<unsigned>(i + 1) : 0);
        slot_->steps.count = steps ? 10 * windows : 0;
        slot_->steps.last = steps ? second * windows : 0;
    }
    std::uint16_t frame(const char* file, int line, const char* function = "main") {
        return slot_.frame(file, function, static_cast<std::uint32_t>(line));
    }
    format::AgentSite& holds(const format::AgentStack& stack, const Curve& curve) {
        format::AgentSite& site = slot_.site(stack, static_cast<std::uint64_t>(curve(1) * mib));
        site.live_blocks = 100;
        for (int i = 0; i < windows; ++i) {
            const double now = curve(static_cast<double>(i) / (windows - 1));
            site.live_kib[i] = static_cast<std::uint32_t>(now * 1024);
            if (slot_->memory.windows[i].rss == format::unknown)
                slot_->memory.windows[i].rss = 50 * mib;
            if (resident_) slot_->memory.windows[i].rss += static_cast<std::uint64_t>(now * mib);
        }
        return site;
    }
    // A refusal after the last window, and what the only site holds at that moment.
    void refused(std::uint64_t live) {
        constexpr auto kind = static_cast<std::uint32_t>(format::AgentSnapshotKind::refusal);
        format::AgentSnapshot& snapshot = slot_->snapshots[kind];
        snapshot.time = slot_->memory.windows[windows - 1].end + 1;
        snapshot.live_bytes = live;
        snapshot.live_kib[0] = static_cast<std::uint32_t>(live >> 10U);
        slot_->snapshot_blocks[kind].live[0] = 100;
    }
    void goes_on_until(std::int64_t time) { slot_->steps.last = time; }
    AgentRecord record() const { return *read_agent_slot(slot_.bytes()); }
    std::optional<LeakEvidence> leak() const { return leak_of(told(record()), context); }
    int blamed() const {
        const auto found = leak();
        return found && !found->frames.empty() ? found->frames.back().line.value_or(0) : 0;
    }

    MemoryContext context{Bytes::gib(2), false};

private:
    SlotBuilder slot_;
    bool resident_;
};

const Curve growing = [](double x) { return 20 + 400 * x; };
const Curve flat = [](double) { return 700.0; };
const Curve warming = [](double x) { return 400 * std::min(1.0, 3 * x); };

format::AgentStack stack(std::initializer_list<std::uint16_t> innermost_first) {
    return SlotBuilder::stack(innermost_first);
}

TEST(Leak, IsTheUsersLineAboveTheLibrarys) {
    Program p;
    const auto library = p.frame("/v/lib/python3.11/site-packages/torch/nn/functional.py", 9);
    const auto own = p.frame("train.py", 42);
    p.holds(stack({library, own}), growing);
    const auto leak = p.leak();
    ASSERT_TRUE(leak);
    EXPECT_EQ(leak->frames.back().line, 42);
    EXPECT_NEAR(*leak->growth.per_step, 400.0 * mib / 150, 0.1 * mib);
    EXPECT_FALSE(leak->several_lines);
}

TEST(Leak, BesideLargerMemoryThatStaysIsStillFound) {
    Program p;
    p.holds(stack({p.frame("train.py", 10)}), flat);
    p.holds(stack({p.frame("train.py", 42)}), growing);
    p.holds(stack({p.frame("train.py", 50)}), warming);
    EXPECT_EQ(p.blamed(), 42);
}

TEST(Leak, ReachedByTwoWaysIsOneLine) {
    Program p;
    const auto keep = p.frame("helper.py", 7, "keep");
    p.holds(stack({keep, p.frame("train.py", 10)}), growing);
    p.holds(stack({keep, p.frame("train.py", 20)}), growing);
    const auto leak = p.leak();
    ASSERT_TRUE(leak);
    EXPECT_EQ(leak->frames.back().line, 7);
    EXPECT_EQ(leak->growth.in_all, Bytes::mib(800));
}

TEST(Leak, OfManyLinesBelowOneCallIsThatCall) {
    Program p;
    const auto call = p.frame("train.py", 42);
    const auto start = p.frame("train.py", 99, "<module>");
    for (int line = 1; line <= 4; ++line)
        p.holds(stack({p.frame("model.py", line, "forward"), call, start}), growing);
    const auto leak = p.leak();
    ASSERT_TRUE(leak);
    EXPECT_EQ(leak->frames.back().line, 42);
    EXPECT_TRUE(leak->several_lines);
}

TEST(Leak, WithoutStepsIsFoundOverTime) {
    Program p(false);
    p.holds(stack({p.frame("loop.py", 5)}), growing);
    // The last look ends the series: without steps, nothing else gives the time.
    const auto leak = p.leak();
    ASSERT_TRUE(leak);
    EXPECT_FALSE(leak->growth.per_step);
    EXPECT_GT(leak->growth.per_minute, 0);
}

TEST(Leak, OfSmallObjectsMayNameALine) {
    Program p;
    p.holds(stack({p.frame("train.py", 42)}), growing).flags = format::site_small_objects;
    EXPECT_EQ(p.blamed(), 42);
}

TEST(Leak, AfterAnImportIsNotThatOfTheCallAboveBoth) {
    Program p(false);
    const auto start = p.frame("train.py", 99, "<module>");
    p.holds(stack({p.frame("train.py", 31), start}),
            [](double x) { return 500 * std::min(1.0, 2.5 * x); });
    p.holds(stack({p.frame("train.py", 42), start}),
            [](double x) { return 400 * std::max(0.0, x - 0.3); });
    EXPECT_EQ(p.blamed(), 42);
}

TEST(NoLeak, OfTheCallAboveAnImportAndALineThatIsUnsteady) {
    Program p(false);
    const auto start = p.frame("train.py", 99, "<module>");
    p.holds(stack({p.frame("train.py", 31), start}),
            [](double x) { return 420 * std::min(0.7, x); });
    p.holds(stack({p.frame("train.py", 42), start}),
            [](double x) { return 420 * std::max(0.0, x - 0.7); });
    EXPECT_FALSE(p.leak());
}

TEST(NoLeak, WhatIsLoadedOrFittedMeanwhileWithoutSteps) {
    const char* const library = "/v/lib/python3.11/site-packages/x/y.py";
    for (const char* function : {"read_csv", "fit"}) {
        Program p(false);
        p.holds(stack({p.frame(library, 9, function), p.frame("train.py", 42)}), growing);
        EXPECT_FALSE(p.leak()) << function;
        Program stepped;
        stepped.holds(stack({stepped.frame(library, 9, function), stepped.frame("train.py", 42)}),
                      growing);
        EXPECT_TRUE(stepped.leak()) << function;
    }
}

TEST(NoLeak, OneCallDuringWhichNoLineWasRun) {
    Program p(false);
    p.holds(stack({p.frame("train.py", 42)}), growing);
    AgentEvidence agent = told(p.record());
    agent.place_time = RunTime{windows * second};
    agent.place = {{"train.py", 42, "main"}};
    EXPECT_TRUE(leak_of(agent, p.context));
    agent.no_line_since = RunTime{windows * second / 2};
    EXPECT_TRUE(leak_of(agent, p.context));
    agent.no_line_since = RunTime{second};
    EXPECT_FALSE(leak_of(agent, p.context));
    agent.place[0].line = 50;  // where it waits for the thread that leaks
    EXPECT_TRUE(leak_of(agent, p.context));
}

TEST(NoLeak, OneCallThatBeganAfterAQuietTime) {
    Program p(false);
    p.holds(stack({p.frame("train.py", 42)}),
            [](double x) { return 600 * std::max(0.0, x - 0.3); });
    AgentEvidence agent = told(p.record());
    agent.place_time = RunTime{windows * second};
    agent.place = {{"train.py", 42, "main"}};
    agent.no_line_since = RunTime{windows * second * 45 / 100};  // most of it came afterwards
    EXPECT_FALSE(leak_of(agent, p.context));
    agent.no_line_since = RunTime{windows * second * 80 / 100};
    EXPECT_TRUE(leak_of(agent, p.context));
}

TEST(Leak, OfObjectsThatAreMadeAgainAndAgainWithoutACollector) {
    Program p(false);
    p.holds(stack({p.frame("train.py", 42, "Node.__init__"), p.frame("train.py", 60, "expand")}),
            growing);
    AgentEvidence agent = told(p.record());
    EXPECT_FALSE(leak_of(agent, p.context));  // one object's __init__ may collect a data set
    agent.notes = {{NoteEvidence::Kind::collector_off, RunTime{second}, 9000, 0, ""}};
    EXPECT_TRUE(leak_of(agent, p.context));
    agent.notes[0].b = 1;  // one object was being made all the time
    EXPECT_FALSE(leak_of(agent, p.context));
    agent.notes[0].b = 0;
    agent.notes[0].a = 100;  // next to nothing waits for the collector
    EXPECT_FALSE(leak_of(agent, p.context));
    agent.notes[0].a = 9000;
    agent.keepers = {{RunTime{second}, "nodes", "list", "train.py", 900, Bytes::mib(300),
                      Bytes::mib(50), false, false, 60}};
    EXPECT_FALSE(leak_of(agent, p.context));
}

TEST(NoLeak, WhatOneExpressionCollectsWithoutACollector) {
    for (const char* function : {"<listcomp>", "build_index", "load_nodes"}) {
        Program p(false);
        p.holds(
            stack({p.frame("train.py", 42, "Node.__init__"), p.frame("train.py", 60, function)}),
            growing);
        AgentEvidence agent = told(p.record());
        agent.notes = {{NoteEvidence::Kind::collector_off, RunTime{second}, 9000, 0, ""}};
        EXPECT_FALSE(leak_of(agent, p.context)) << function;
    }
}

TEST(HelperLeak, IsWhatAThreadOfALibraryKeeps) {
    Program p(false);
    const auto thread = p.frame("/usr/lib/python3.11/threading.py", 1002, "Thread._bootstrap");
    const auto serve = p.frame("/usr/lib/python3.11/multiprocessing/managers.py", 253, "serve");
    p.holds(stack({serve, thread}), growing);
    p.holds(stack({p.frame("train.py", 42)}), [](double) { return 30.0; });
    AgentEvidence agent = told(p.record());
    agent.live = Bytes::mib(450);
    EXPECT_FALSE(leak_of(agent, p.context));
    const auto leak = leak_of_helper(agent, p.context);
    ASSERT_TRUE(leak);
    EXPECT_EQ(leak->frames.back().line, 253);
    agent.live = Bytes::gib(1);  // most of it is held elsewhere
    EXPECT_FALSE(leak_of_helper(agent, p.context));
}

TEST(HelperLeak, IsNotWhatALibraryLoadsNorWhatStays) {
    Program loading(false);
    loading.holds(stack({loading.frame("/v/site-packages/pandas/readers.py", 9, "read_csv")}),
                  growing);
    AgentEvidence agent = told(loading.record());
    agent.live = Bytes::mib(420);
    EXPECT_FALSE(leak_of_helper(agent, loading.context));
    Program warm(false);
    warm.holds(stack({warm.frame("/v/site-packages/server/queue.py", 9, "serve")}), warming);
    agent = told(warm.record());
    agent.live = Bytes::mib(420);
    EXPECT_FALSE(leak_of_helper(agent, warm.context));
}

TEST(Sites, ShowABlockThatWasHardlyTouched) {
    Program p(false);
    format::AgentSite& site = p.holds(stack({p.frame("work.py", 19)}), [](double) { return 0.0; });
    site.peak_bytes = 900 * mib;
    site.live_blocks = 1;
    const auto sites = sites_of(told(p.record()), p.context);
    ASSERT_EQ(sites.size(), 1U);
    EXPECT_EQ(sites[0].peak, Bytes::mib(900));
    site.live_blocks = 0;  // it was given back
    EXPECT_TRUE(sites_of(told(p.record()), p.context).empty());
}

TEST(Leak, OfSmallObjectsMayBeSeenByTheirArenasAlone) {
    Program p;
    p.holds(stack({p.frame("train.py", 42)}), growing).flags = format::site_arena;
    p.holds(stack({p.frame("train.py", 43)}), growing).flags = format::site_other;
    EXPECT_EQ(p.blamed(), 42);
}

TEST(NoLeak, OneLargeBlockThatIsFilledBitByBit) {
    Program p;
    p.holds(stack({p.frame("train.py", 42)}), growing).live_blocks = 1;
    EXPECT_FALSE(p.leak());
}

TEST(Leak, HoldsNoMoreThanTheProcessCould) {
    Program p;
    p.holds(stack({p.frame("train.py", 42)}), growing);
    p.context.room = Bytes::mib(210);
    const auto leak = p.leak();
    ASSERT_TRUE(leak);
    EXPECT_LE(leak->live, Bytes::mib(210));
}

TEST(Snapshot, CountsWhereTheProgramFreedAfterwards) {
    Program p;
    format::AgentSite& site = p.holds(stack({p.frame("train.py", 42)}), growing);
    site.live_bytes = mib;
    p.refused(420 * mib);
    const auto live = [&p](const ProcessEvidence* process) {
        const auto top = top_sites_of(told(at_its_snapshot(p.record(), process)), p.context);
        return top.empty() ? Bytes{} : top.front().live;
    };
    EXPECT_EQ(live(nullptr), Bytes::mib(420));
    ProcessEvidence killed;
    killed.exit = ExitStatus{.code = std::nullopt, .signal = SIGKILL};
    EXPECT_EQ(live(&killed), Bytes::mib(1));
}

TEST(Snapshot, HasTheBlocksOfItsOwnTime) {
    Program p;
    format::AgentSite& site = p.holds(stack({p.frame("train.py", 42)}), growing);
    site.live_bytes = mib;
    site.live_blocks = 1;
    p.refused(420 * mib);
    const AgentRecord record = at_its_snapshot(p.record(), nullptr);
    EXPECT_EQ(record.memory.sites.front().live_blocks, 100U);
}

TEST(Snapshot, LongBeforeTheEndCountsForNothing) {
    Program p;
    format::AgentSite& site = p.holds(stack({p.frame("train.py", 42)}), growing);
    site.live_bytes = mib;
    p.refused(420 * mib);
    p.goes_on_until(100 * second);
    const AgentRecord record = at_its_snapshot(p.record(), nullptr);
    EXPECT_EQ(record.memory.sites.front().live_bytes, mib);
}

TEST(NoLeak, WarmUpAndWhatStays) {
    Program p;
    p.holds(stack({p.frame("train.py", 42)}), warming);
    p.holds(stack({p.frame("train.py", 43)}), flat);
    EXPECT_FALSE(p.leak());
}

TEST(NoLeak, ResidentMemoryThatGrowsWithoutTheTracked) {
    Program p;
    p.holds(stack({p.frame("train.py", 43)}), flat);
    AgentRecord record = p.record();
    for (std::size_t i = 0; i < record.memory.windows.size(); ++i)
        record.memory.windows[i].rss = (500 + 100 * i) * mib;
    EXPECT_FALSE(leak_of(told(record), p.context));
}

TEST(NoLeak, MemoryThatIsNeverTouched) {
    Program p(true, false);
    p.holds(stack({p.frame("train.py", 42)}), growing);
    EXPECT_FALSE(p.leak());
    p.context.swapped = true;  // some of it may have been touched and swapped out
    EXPECT_TRUE(p.leak());
}

TEST(NoLeak, WithoutALineOfTheUsers) {
    Program p;
    p.holds(stack({p.frame("/v/lib/python3.11/site-packages/x/y.py", 3)}), growing);
    p.holds(stack({}), growing).flags = format::site_native;
    EXPECT_FALSE(p.leak());
}

TEST(NoLeak, WithinTheErrorOfTheEstimate) {
    Program p;
    format::AgentSite& site = p.holds(stack({p.frame("train.py", 42)}), growing);
    site.variance_kib2 = std::uint64_t{200 * 1024} * (200 * 1024);
    EXPECT_FALSE(p.leak());
}

TEST(Sites, KnowWhatTheyHeldBeforeTheFirstStep) {
    SlotBuilder slot;
    for (unsigned i = 0; i < 8; ++i) slot.window(second * (i + 1), i < 3 ? 0 : 10 * (i - 2));
    slot->steps.count = 60;
    slot.site(SlotBuilder::stack({slot.frame("data.py", "load", 3)}), 900 * mib,
              {1, 400, 900, 900, 900, 900, 900, 900});
    const auto sites = sites_of(told(*read_agent_slot(slot.bytes())), {Bytes::gib(1), false});
    ASSERT_EQ(sites.size(), 1U);
    EXPECT_EQ(sites[0].before_steps, Bytes::mib(900));
    EXPECT_FALSE(sites[0].growth);
}

TEST(TopSites, AreLinesAndTheLargestFirst) {
    Program p;
    const auto line = p.frame("train.py", 42);
    p.holds(stack({p.frame("/v/lib/python3.11/site-packages/x.py", 1), line}), growing);
    p.holds(stack({p.frame("/v/lib/python3.11/site-packages/x.py", 2), line}), growing);
    p.holds(stack({p.frame("data.py", 3)}), flat);
    const auto top = top_sites_of(told(p.record()), p.context);
    ASSERT_EQ(top.size(), 2U);
    EXPECT_EQ(top[0].line, 42);
    EXPECT_EQ(top[0].live, Bytes::mib(840));
    EXPECT_GT(top[0].growth_per_step.value_or(0), 0);
    EXPECT_FALSE(top[1].growth_per_step);
}

TEST(Recording, IsJudgedFromItsWindows) {
    Program p;
    p.holds(stack({p.frame("train.py", 42)}), growing);
    Evidence evidence;
    evidence.main_pid = 1;
    evidence.agents = {told(p.record())};
    // A leak that an older version judged does not count if the windows are there.
    evidence.agents[0].leak = LeakEvidence{.frames = {{"old.py", 1, "f"}},
                                           .live = {},
                                           .error = {},
                                           .borrowed = false,
                                           .several_lines = false,
                                           .growth = {}};
    const auto back = evidence_from_json(to_json(evidence));
    ASSERT_TRUE(back) << back.error().text;
    Evidence judged = *back;
    judge_memory(judged);
    ASSERT_TRUE(judged.agents[0].leak);
    EXPECT_EQ(judged.agents[0].leak->frames.back().line, 42);
    EXPECT_EQ(judged.agents[0].leak->growth.in_all, p.leak()->growth.in_all);
    ASSERT_EQ(judged.memory.top_sites.size(), 1U);
    EXPECT_EQ(judged.memory.top_sites[0].line, 42);
    for (Bytes& live : judged.agents[0].memory->sites[0].at_windows) live = Bytes::mib(420);
    judge_memory(judged);
    EXPECT_FALSE(judged.agents[0].leak);
}

TEST(Recording, WithoutWindowsKeepsWhatWasJudgedThen) {
    Program p;
    p.holds(stack({p.frame("train.py", 42)}), growing);
    Evidence evidence;
    evidence.main_pid = 1;
    evidence.agents = {told(p.record())};
    judge_memory(evidence);
    evidence.agents[0].memory.reset();
    EXPECT_FALSE(has_memory_to_judge(evidence));
    judge_memory(evidence);
    ASSERT_TRUE(evidence.agents[0].leak);
    EXPECT_EQ(evidence.agents[0].leak->frames.back().line, 42);
    EXPECT_EQ(evidence.memory.top_sites.size(), 1U);
}

TEST(Recording, MayLackTheWindowsOfASite) {
    Program p;
    p.holds(stack({p.frame("train.py", 50, "step"), p.frame("train.py", 42)}), growing);
    p.holds(stack({p.frame("train.py", 51, "step"), p.frame("train.py", 42)}), growing);
    p.holds(stack({p.frame("other.py", 7, "load"), p.frame("train.py", 42)}), flat);
    AgentEvidence agent = told(p.record());
    agent.memory->latest.reset();
    agent.memory->sites[2].at_windows.clear();
    const auto leak = leak_of(agent, p.context);
    ASSERT_TRUE(leak);
    EXPECT_EQ(leak->frames.back().file, "train.py");
}

TEST(Recording, OfAForgerIsJudgedWithoutHarm) {
    Evidence evidence;
    evidence.main_pid = 1;
    AgentEvidence& agent = evidence.agents.emplace_back();
    agent.pid = 1;
    agent.steps.count = ~0ULL;
    MemoryHistory& history = agent.memory.emplace();
    history.frames = {{"train.py", 42, "main"}};
    for (int i = 0; i < 20; ++i)
        history.windows.push_back({i % 2 == 0 ? Nanos::min() : Nanos::max(),
                                   ~0ULL - static_cast<std::uint64_t>(20 - i), Bytes{~0ULL},
                                   Bytes{static_cast<std::uint64_t>(i)}});
    for (int i = 0; i < 3; ++i) {
        SiteHistory& site = history.sites.emplace_back();
        site.stack = {0, 7, ~0U};  // two of the numbers name no frame
        site.live = site.peak = site.asked = site.error = Bytes{~0ULL};
        site.at_windows.assign(i == 0 ? 40 : 2, Bytes{~0ULL});
    }
    evidence.memory.limit = Bytes{1};
    judge_memory(evidence);
    for (const SiteEvidence& site : agent.sites) EXPECT_EQ(site.frames.size(), 1U);
}

TEST(GpuGrowth, FollowsTheSteps) {
    Program p;
    AgentRecord record = p.record();
    for (std::size_t i = 0; i < record.memory.windows.size(); ++i)
        record.memory.windows[i].gpu_allocated = (1000 + 50 * i) * mib;
    ASSERT_TRUE(gpu_growth_of(told(record)));
    for (auto& window : record.memory.windows) window.gpu_allocated = 5000 * mib;
    EXPECT_FALSE(gpu_growth_of(told(record)));
}

TEST(GpuGrowth, IsSeenInTheLastStepsWhereAllWasOverBeforeAWindowWas) {
    Program p;
    AgentRecord record = p.record();
    record.memory.windows.resize(1);
    for (std::uint64_t number = 47; number <= 110; ++number) {
        AgentStepRecord& step = record.steps.last_steps.emplace_back();
        step.time = static_cast<std::int64_t>(number) * 1'400'000;
        step.number = number;
        if (number % 8 == 0) step.gpu_allocated = (100 + 25 * number) * mib;
    }
    const auto growth = gpu_growth_of(told(record));
    ASSERT_TRUE(growth);
    EXPECT_NEAR(growth->per_step.value_or(0), 25.0 * mib, 0.1 * mib);
    for (auto& step : record.steps.last_steps)
        if (step.gpu_allocated) step.gpu_allocated = 2000 * mib;
    EXPECT_FALSE(gpu_growth_of(told(record)));
}

}  // namespace
}  // namespace holdfast
