#include <gtest/gtest.h>

#include "evidence/gatherers.h"
#include "evidence/synthetic_record.h"

namespace holdfast {
namespace {

using synthetic::sample;
using synthetic::second;

TEST(Pressure, IsThePercentOfTheLastMinuteOnly) {
    std::vector<format::Sample> samples;
    for (std::int64_t s = 0; s <= 300; s += 10) {
        auto look = sample(s * second);
        // Calm for four minutes, then stalled half of the time.
        const std::int64_t stalled_us = s <= 240 ? 0 : (s - 240) * 500'000;
        look.psi_memory_full_us = static_cast<std::uint64_t>(stalled_us);
        look.vm_major_faults = static_cast<std::uint64_t>(s * 100);
        samples.push_back(look);
    }
    const PressureEvidence pressure = gatherers::pressure(samples);
    ASSERT_TRUE(pressure.memory_full);
    EXPECT_DOUBLE_EQ(*pressure.memory_full, 50.0);
    EXPECT_DOUBLE_EQ(*pressure.major_faults_per_second, 100.0);
    EXPECT_EQ(pressure.window, Nanos(60 * second));
    EXPECT_FALSE(pressure.memory_some);  // was never readable
}

TEST(Pressure, OfAShortRunCoversTheWholeRun) {
    std::vector<format::Sample> samples{sample(0), sample(2 * second)};
    samples[0].psi_io_full_us = 1'000'000;
    samples[1].psi_io_full_us = 1'500'000;
    const PressureEvidence pressure = gatherers::pressure(samples);
    EXPECT_DOUBLE_EQ(*pressure.io_full, 25.0);
    EXPECT_EQ(pressure.window, Nanos(2 * second));
}

TEST(Pressure, IsUnknownForAnInstantAndForNoSamples) {
    std::vector<format::Sample> samples{sample(0), sample(second / 10)};
    samples[0].psi_io_full_us = 0;
    samples[1].psi_io_full_us = 100'000;
    EXPECT_FALSE(gatherers::pressure(samples).io_full);
    EXPECT_FALSE(gatherers::pressure({}).window);
}

TEST(Pressure, IsUnknownWhenATotalFell) {
    std::vector<format::Sample> samples{sample(0), sample(10 * second)};
    samples[0].vm_swap_in = 500;
    samples[1].vm_swap_in = 499;
    EXPECT_FALSE(gatherers::pressure(samples).swap_in_pages_per_second);
}

TEST(Pressure, SurvivesAbsurdTimes) {
    std::vector<format::Sample> samples{sample(0), sample(0)};
    samples[0].time = INT64_MAX;
    samples[1].time = INT64_MIN;
    EXPECT_FALSE(gatherers::pressure(samples).window);
}

}  // namespace
}  // namespace holdfast
