#include "fit/host_memory.h"

#include <gtest/gtest.h>

namespace holdfast::fit {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

TEST(HostMemory, WorkersHoldWhatTheyMakeAhead) {
    HostFacts facts{.arrays = {400 * mib}, .batch_tensors = {{18 * mib}, {2 * mib}}};
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
    const HostMemory host = host_memory({.batch_tensors = {{20 * mib}}});
    EXPECT_EQ(host.total(), Bytes{4 * 20 * mib});
}

TEST(HostMemory, PinnedMemoryComesInPowersOfTwo) {
    HostFacts facts{.batch_tensors = {{20 * mib}}, .workers = 1, .prefetch = 2, .pinned = true};
    EXPECT_EQ(host_memory(facts).waiting, Bytes{(3 * 32 + 20) * mib});
}

TEST(HostMemory, ForkedWorkersCopyPythonObjects) {
    HostFacts facts{.objects = {100 * mib}, .workers = 3, .prefetch = 2};
    EXPECT_EQ(host_memory(facts).workers, Bytes{3 * 115 * mib});
}

TEST(HostMemory, AbsurdFiguresStayFinite) {
    HostFacts facts{.arrays = {0}, .objects = {~std::uint64_t{0}}};
    facts.batch_tensors = {{~std::uint64_t{0}}};
    facts.workers = facts.prefetch = ~std::uint64_t{0};
    facts.pinned = true;
    EXPECT_LE(host_memory(facts).workers, Bytes{std::uint64_t{1} << 50U});
}

}  // namespace
}  // namespace holdfast::fit
