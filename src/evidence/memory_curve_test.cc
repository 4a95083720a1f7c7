#include <gtest/gtest.h>

#include "evidence/gatherers.h"
#include "evidence/synthetic_record.h"

namespace holdfast {
namespace {

using synthetic::sample;
using synthetic::second;

format::Sample look(std::int64_t at_seconds, std::uint64_t cgroup_mib) {
    auto s = sample(at_seconds * second);
    s.mem_total = Bytes::gib(16).count;
    s.mem_available = Bytes::gib(10).count;
    s.cgroup_usage = Bytes::mib(cgroup_mib).count;
    s.cgroup_limit = Bytes::mib(512).count;
    return s;
}

const RunClock run_clock{synthetic::start};

TEST(MemoryCurve, IsTheContainersWhereItHasALimit) {
    RunRecord record;
    record.samples = {look(1, 100), look(2, 400), look(3, 300)};
    const MemorySummary memory = gatherers::memory(record, run_clock, nullptr);
    EXPECT_EQ(memory.limit_name, "container limit");
    EXPECT_EQ(memory.limit, Bytes::mib(512));
    EXPECT_EQ(memory.peak, Bytes::mib(400));
    ASSERT_EQ(memory.curve.size(), 3U);
    EXPECT_EQ(memory.curve[1].time, Nanos(2 * second));
    EXPECT_EQ(memory.curve[1].used, Bytes::mib(400));
}

TEST(MemoryCurve, FilePagesThatCanBeDroppedAreNotTaken) {
    RunRecord record;
    record.samples = {look(1, 500), look(2, 500), look(3, 500)};
    record.samples[1].cgroup_headroom = Bytes::mib(400).count;
    record.samples[2].cgroup_headroom = Bytes::gib(4).count;  // a figure from another moment
    const auto curve = gatherers::memory(record, run_clock, nullptr).curve;
    ASSERT_EQ(curve.size(), 3U);
    EXPECT_EQ(curve[0].taken(), Bytes::mib(500));
    EXPECT_EQ(curve[1].taken(), Bytes::mib(112));
    EXPECT_EQ(curve[1].used, Bytes::mib(500));
    EXPECT_EQ(curve[2].taken(), Bytes::mib(500));
}

TEST(MemoryCurve, IsTheMachinesWhereTheLimitIsAboveItsMemory) {
    RunRecord record;
    record.samples = {look(1, 100)};
    record.samples[0].cgroup_limit = Bytes::gib(64).count;
    const MemorySummary memory = gatherers::memory(record, run_clock, nullptr);
    EXPECT_EQ(memory.limit_name, "machine memory");
    EXPECT_EQ(memory.limit, Bytes::gib(16));
    EXPECT_EQ(memory.peak, Bytes::gib(6));
}

TEST(MemoryCurve, TakesWhatIsOlderThanTheSamplesFromTheHistory) {
    RunRecord record;
    record.history = {look(1, 10), look(50, 20), look(101, 99)};
    record.samples = {look(100, 30), look(110, 40)};
    const MemorySummary memory = gatherers::memory(record, run_clock, nullptr);
    ASSERT_EQ(memory.curve.size(), 4U);
    EXPECT_EQ(memory.curve[1].used, Bytes::mib(20));
    EXPECT_EQ(memory.curve[2].used, Bytes::mib(30));
}

TEST(MemoryCurve, KeepsThePeakWhenItThins) {
    RunRecord record;
    for (int i = 0; i < 5000; ++i) record.samples.push_back(look(i, i == 3333 ? 500 : 100));
    const MemorySummary memory = gatherers::memory(record, run_clock, nullptr);
    EXPECT_LE(memory.curve.size(), 512U);
    EXPECT_TRUE(std::any_of(memory.curve.begin(), memory.curve.end(),
                            [](const CurvePoint& p) { return p.used == Bytes::mib(500); }));
}

TEST(MemoryCurve, BelievesTheKernelsPeakOnlyWhenTheLimitWasHitDuringTheRun) {
    RunRecord record;
    record.samples = {look(1, 400)};
    CgroupEvidence chain;
    chain.levels.resize(1);
    chain.levels[0].limit = Bytes::mib(512);
    chain.levels[0].peak = Bytes::mib(512);
    chain.levels[0].limit_hits_first = 7;
    chain.levels[0].limit_hits_last = 7;
    EXPECT_EQ(gatherers::memory(record, run_clock, &chain).peak, Bytes::mib(400));
    chain.levels[0].limit_hits_last = 8;
    EXPECT_EQ(gatherers::memory(record, run_clock, &chain).peak, Bytes::mib(512));
}

TEST(MemoryCurve, IsEmptyWithoutFigures) {
    RunRecord record;
    record.samples = {sample(0)};
    const MemorySummary memory = gatherers::memory(record, run_clock, nullptr);
    EXPECT_TRUE(memory.curve.empty());
    EXPECT_FALSE(memory.limit);
    EXPECT_FALSE(memory.peak);
}

}  // namespace
}  // namespace holdfast
