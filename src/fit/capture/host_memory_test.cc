#include "fit/capture/host_memory.h"

#include <gtest/gtest.h>

namespace holdfast::fit {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

TEST(HostMemory, WorkersHoldWhatTheyMakeAhead) {
    HostFacts facts;
    facts.arrays = {400 * mib};
    facts.batch_tensors = {{18 * mib}, {2 * mib}};
    facts.workers = 2;
    facts.prefetch = 4;
    const HostMemory host = host_memory(facts);
    EXPECT_EQ(host.dataset, Bytes{400 * mib});
    EXPECT_EQ(host.batch, Bytes{20 * mib});
    EXPECT_EQ(host.waiting, Bytes{9 * 20 * mib});
    EXPECT_EQ(host.making, Bytes{2 * 3 * 20 * mib});
    EXPECT_EQ(host.workers, Bytes{2 * 15 * mib});
    EXPECT_EQ(host.total(), Bytes{(400 + 180 + 120 + 30) * mib});
}

TEST(HostMemory, WithoutWorkersTheProgramLoads) {
    HostFacts facts;
    facts.batch_tensors = {{20 * mib}};
    EXPECT_EQ(host_memory(facts).total(), Bytes{4 * 20 * mib});
}

TEST(HostMemory, PinnedMemoryComesInPowersOfTwo) {
    HostFacts facts;
    facts.batch_tensors = {{20 * mib}};
    facts.workers = 1;
    facts.prefetch = 2;
    facts.pinned = true;
    EXPECT_EQ(host_memory(facts).waiting, Bytes{(3 * 32 + 20) * mib});
}

TEST(HostMemory, ForkedWorkersCopyPythonObjects) {
    HostFacts facts;
    facts.objects = {100 * mib};
    facts.workers = 3;
    EXPECT_EQ(host_memory(facts).workers, Bytes{3 * 115 * mib});
}

TEST(HostMemory, AbsurdFiguresStayFinite) {
    HostFacts facts;
    facts.objects = {~std::uint64_t{0}};
    facts.batch_tensors = {{~std::uint64_t{0}}};
    facts.workers = facts.prefetch = ~std::uint64_t{0};
    facts.pinned = true;
    EXPECT_LE(host_memory(facts).workers, Bytes{std::uint64_t{1} << 50U});
}

}  // namespace
}  // namespace holdfast::fit
