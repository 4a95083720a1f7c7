// The accounts of live memory, driven by many threads at once: freed memory leaves them, kept
// memory stays within its error. Meant for the sanitizers. A number stands for a Python stack.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "agent/box/slot.h"
#include "agent/heap/heap.h"
#include "agent/heap/pymem.h"
#include "agent/heap/sampling.h"
#include "agent/heap/state.h"
#include "agent/heap/unseen.h"

namespace holdfast::agent {
namespace {

std::unique_ptr<format::AgentSlot> own_slot = std::make_unique<format::AgentSlot>();
thread_local std::uint16_t line = 0;  // that the calling thread is at; 0: none

constexpr std::uint64_t mib = 1U << 20U;

}  // namespace

// Stand-ins for what counting calls in the rest of the agent.
format::AgentSlot* slot() { return own_slot.get(); }
format::AgentSlot* take_slot() { return own_slot.get(); }
void find_next_allocator() {}
void find_python_allocator() {}
// The test's own memory was not requested by a program.
void look_for_unseen(HeapState&, format::AgentMemory&, std::int64_t) {}
void arena_counted(HeapState&, format::AgentMemory&, std::uint64_t, std::uint64_t, std::uint16_t) {}
bool python_running() { return true; }
std::size_t own_frames(RawFrame* out, std::size_t) {
    if (line == 0) return 0;
    out[0] = {line, 0, 0};
    return 1;
}
std::size_t main_frames(RawFrame* out, std::size_t) {
    out[0] = {999, 0, 0};
    return 1;
}
void describe(const RawFrame* frames, std::size_t, format::AgentStack& into) {
    into.frames[0] = static_cast<std::uint16_t>(frames[0].code);
}
std::size_t ImportCache::frames_inside(const RawFrame*, std::size_t) { return 0; }
ImportCache::Kind ImportCache::kind_of(const RawFrame&) { return Kind::library; }

namespace {

// As the hooks do, with the real allocator.
void* ask(std::size_t size) {
    const std::uint64_t weight = spend(size) ? 0 : visit(size);
    void* block = ::calloc(1, size);
    if (weight != 0) count_block(block, size, weight);
    return block;
}
void give_back(void* block) {
    if (page_is_counted(block) && may_hold(block)) uncount_block(block);
    ::free(block);
}

// One that is a sample, whatever the rate is at the moment.
void* ask_counted(std::size_t size) {
    void* block = ::calloc(1, size);
    count_block(block, size, size);
    return block;
}

const format::AgentSite* site_of(std::uint16_t number) {
    const format::AgentMemory& memory = own_slot->memory;
    for (std::uint32_t i = 0; i < memory.site_count; ++i)
        if (memory.sites[i].stack.frames[0] == number) return &memory.sites[i];
    return nullptr;
}

std::uint64_t live_of(std::uint16_t number) {
    const format::AgentSite* site = site_of(number);
    return site == nullptr ? 0 : site->live_bytes;
}

class Heap : public testing::Test {
protected:
    static void SetUpTestSuite() { start_counting(); }
};

// Blocks of every size up to a few MiB, a hundred alive at a time, until about `bytes` went by.
void churn(std::uint64_t bytes, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<void*> alive(100);
    for (std::uint64_t done = 0; done < bytes;) {
        const std::size_t size = std::size_t{16} << (random() % 16U);
        void*& place = alive[random() % alive.size()];
        give_back(place);
        place = ask(size);
        done += size;
    }
    for (void* block : alive) give_back(block);
}

TEST_F(Heap, WhatManyThreadsFreedIsGone) {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i)
        threads.emplace_back([i] {
            line = static_cast<std::uint16_t>(10 + i);
            churn(512 * mib, i);
        });
    for (std::thread& thread : threads) thread.join();
    for (std::uint16_t i = 10; i < 14; ++i) {
        ASSERT_NE(site_of(i), nullptr) << i;
        EXPECT_GT(site_of(i)->total_bytes, 200 * mib);
        EXPECT_EQ(live_of(i), 0U) << i;
        EXPECT_EQ(site_of(i)->live_blocks, 0U) << i;
    }
}

TEST_F(Heap, WhatIsKeptIsThereWithinItsError) {
    std::vector<void*> kept;
    std::thread other([] {
        line = 21;
        churn(512 * mib, 7);
    });
    line = 20;
    constexpr std::size_t size = 4096;
    constexpr std::size_t count = 256 * mib / size;
    for (std::size_t i = 0; i < count; ++i) kept.push_back(ask(size));
    other.join();
    ASSERT_NE(site_of(20), nullptr);
    const double error = std::sqrt(static_cast<double>(site_of(20)->variance_kib2)) * 1024;
    EXPECT_GT(error, 0);
    EXPECT_NEAR(static_cast<double>(live_of(20)), static_cast<double>(count * size), 6 * error);
    for (void* block : kept) give_back(block);
    EXPECT_EQ(live_of(20), 0U);
}

TEST_F(Heap, BlocksFreedByAnotherThreadAreGoneToo) {
    std::vector<void*> blocks;
    std::thread maker([&] {
        line = 30;
        for (int i = 0; i < 200; ++i) blocks.push_back(ask_counted(mib));
    });
    maker.join();
    EXPECT_EQ(live_of(30), 200 * mib);
    std::vector<std::thread> threads;
    for (std::size_t part = 0; part < 4; ++part)
        threads.emplace_back([&, part] {
            for (std::size_t i = part; i < blocks.size(); i += 4) give_back(blocks[i]);
        });
    for (std::thread& thread : threads) thread.join();
    // A block freed while the lock was taken is removed by the next holder.
    line = 31;
    give_back(ask_counted(mib));
    EXPECT_EQ(live_of(30), 0U);
}

TEST_F(Heap, AThreadWithoutFramesBorrowsTheMainThreads) {
    std::vector<void*> kept;
    std::thread native([&] {
        line = 0;
        for (int i = 0; i < 8; ++i) kept.push_back(ask_counted(mib));
    });
    native.join();
    EXPECT_EQ(live_of(999), 8 * mib);
    EXPECT_NE(site_of(999)->flags & format::site_borrowed_stack, 0U);
    for (void* block : kept) give_back(block);
}

TEST_F(Heap, ARegionMayBeGivenBackInPieces) {
    line = 40;
    const std::uint64_t begin = 0x7000'0000'0000;
    count_region(begin, 64 * mib, 64 * mib);
    EXPECT_EQ(live_of(40), 64 * mib);
    uncount_regions(begin + 16 * mib, begin + 32 * mib);
    EXPECT_EQ(live_of(40), 48 * mib);
    move_region(begin, 16 * mib, begin + 128 * mib, 24 * mib);
    EXPECT_EQ(live_of(40), 56 * mib);
    uncount_regions(begin, begin + 256 * mib);
    EXPECT_EQ(live_of(40), 0U);
}

TEST_F(Heap, MoreLinesThanSitesLoseNoByteOfTheWhole) {
    const std::uint64_t before = own_slot->memory.live_bytes;
    std::vector<void*> kept;
    for (std::uint16_t i = 0; i < format::agent_site_capacity + 200; ++i) {
        line = static_cast<std::uint16_t>(1000 + i);
        kept.push_back(ask_counted(mib));
    }
    EXPECT_EQ(own_slot->memory.site_count, format::agent_site_capacity);
    EXPECT_EQ(own_slot->memory.live_bytes - before, kept.size() * mib);
    for (void* block : kept) give_back(block);
    EXPECT_EQ(own_slot->memory.live_bytes, before);
}

TEST(BlockTable, DoesAsAMapDoes) {
    auto table = std::make_unique<BlockTable>();
    std::unordered_map<std::uint64_t, std::uint64_t> model;
    std::mt19937_64 random(3);
    for (int i = 0; i < 200'000; ++i) {
        const std::uint64_t address = 0x10000 + (random() % 20'000) * 16;
        SampledBlock found;
        const auto known = model.find(address);
        if (known == model.end()) {
            ASSERT_FALSE(table->take(address, found));
            ASSERT_TRUE(table->insert(make_block(address, 1, address ^ 7U, 2, false)));
            model[address] = address ^ 7U;
        } else {
            ASSERT_TRUE(table->may_have(reinterpret_cast<void*>(address)));
            ASSERT_TRUE(table->take(address, found));
            ASSERT_EQ(found.weight, known->second);
            model.erase(known);
        }
        ASSERT_EQ(table->count(), model.size());
    }
}

}  // namespace
}  // namespace holdfast::agent
