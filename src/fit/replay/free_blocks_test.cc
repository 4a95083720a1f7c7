#include "fit/replay/free_blocks.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace holdfast::fit {
namespace {

using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>;  // size, address, index

std::vector<Key> listed(const FreeBlocks& pool, const std::vector<Block>& blocks) {
    std::vector<Key> keys;
    for (const std::uint32_t index : pool.all())
        keys.emplace_back(blocks[index].size, blocks[index].address, index);
    return keys;
}

TEST(FreeBlocks, AreInTheOrderOfSizeThenAddressWhateverHappens) {
    std::mt19937_64 random(8);  // NOLINT(*-msc51-cpp): the same run every time
    std::vector<Block> blocks;
    FreeBlocks pool(blocks);
    std::set<Key> expected;
    std::vector<std::uint32_t> outside;
    for (int move = 0; move < 20'000; ++move) {
        if (expected.empty() || random() % 2 == 0) {
            if (outside.empty()) {
                blocks.emplace_back();
                outside.push_back(static_cast<std::uint32_t>(blocks.size() - 1));
            }
            const std::uint32_t index = outside.back();
            outside.pop_back();
            // Only few small sizes, so that many are equal; the largest are beyond any bin.
            const std::uint64_t units = (random() % 200) << (random() % 44);
            blocks[index].size = 512 * (units + 1);
            blocks[index].address = random() % 4096 * 4096 + index;
            pool.insert(index);
            expected.emplace(blocks[index].size, blocks[index].address, index);
        } else {
            auto any = expected.lower_bound({512 * (random() % 400), random() % (1U << 24U), 0});
            if (any == expected.end()) any = expected.begin();
            const std::uint32_t index = std::get<2>(*any);
            pool.erase(index);
            expected.erase(any);
            outside.push_back(index);
        }
        const std::uint64_t size = 512 * ((random() % 300) << (random() % 44));
        const auto first = expected.lower_bound({size, 0, 0});
        const std::uint32_t found = pool.first_of(size);
        ASSERT_EQ(found, first == expected.end() ? no_block : std::get<2>(*first));
        if (move % 100 == 0)
            ASSERT_EQ(listed(pool, blocks), std::vector<Key>(expected.begin(), expected.end()));
    }
}

}  // namespace
}  // namespace holdfast::fit
