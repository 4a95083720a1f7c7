#include "loader/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <set>
#include <thread>

namespace holdfast::loader {
namespace {

// Samples are their own numbers; some are bad.
class Numbers : public Source {
public:
    explicit Numbers(std::uint64_t count, std::set<std::uint64_t> bad = {})
        : count_(count), bad_(std::move(bad)) {}
    std::uint64_t count() const override { return count_; }
    RowLayout layout(std::uint64_t) const override {
        RowLayout layout;
        layout.fields.push_back({"number", "<u8", {}, 8});
        return layout;
    }
    std::string name(std::uint64_t sample) const override { return std::to_string(sample); }
    std::uint64_t fingerprint() const override { return count_; }
    void fill(const Part& part, Scratch&, std::vector<Failure>& failures) override {
        for (std::size_t i = 0; i < part.samples.size(); ++i) {
            std::memcpy(part.batch + part.offsets[0] + (part.first_row + i) * 8, &part.samples[i],
                        8);
            if (bad_.contains(part.samples[i]))
                failures.push_back(
                    {part.first_row + i, part.samples[i], "bad " + name(part.samples[i])});
        }
    }

private:
    std::uint64_t count_;
    std::set<std::uint64_t> bad_;
};

struct Setting {
    explicit Setting(Source& source, std::uint64_t batch = 8, std::size_t slots = 3,
                     unsigned workers = 3, bool skip = false)
        : memory(slots * 4096) {
        std::vector<std::span<std::byte>> pieces;
        for (std::size_t i = 0; i < slots; ++i)
            pieces.push_back(std::span(memory).subspan(i * 4096, 4096));
        EngineOptions options;
        options.batch = batch;
        options.workers = workers;
        options.skip_bad = skip;
        engine = std::make_unique<Engine>(source, options, pieces,
                                          std::vector<std::span<std::byte>>(workers),
                                          std::span<std::byte>());
    }
    std::vector<std::byte> memory;
    std::unique_ptr<Engine> engine;
};

Pass whole(std::uint64_t batch) {
    Pass pass;
    pass.batch = batch;
    pass.shuffled = true;
    pass.seed = 5;
    return pass;
}

Next next(Engine& engine, Delivery& out) {
    while (true) {
        const Next what = engine.next(std::chrono::milliseconds(50), out);
        if (what != Next::waiting) return what;
    }
}

std::vector<std::uint64_t> read_all(Engine& engine) {
    std::vector<std::uint64_t> all;
    Delivery batch;
    while (next(engine, batch) == Next::ready) {
        const auto* numbers = reinterpret_cast<const std::uint64_t*>(batch.data);
        all.insert(all.end(), numbers, numbers + batch.rows);
        engine.give_back(batch.slot);
    }
    return all;
}

TEST(Engine, OrderDoesNotDependOnThreadsOrSlots) {
    Numbers source(1003);
    Setting one(source, 8, 2, 1);
    Setting many(source, 8, 9, 4);
    one.engine->start(whole(8));
    many.engine->start(whole(8));
    const auto first = read_all(*one.engine);
    EXPECT_EQ(first.size(), 1003U);
    EXPECT_EQ(first, read_all(*many.engine));
}

TEST(Engine, TellsThatTheProgramHoldsEverySlot) {
    Numbers source(1000);
    Setting setting(source, 8, 3);
    setting.engine->start(whole(8));
    Delivery batch;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(next(*setting.engine, batch), Next::ready);
    EXPECT_EQ(next(*setting.engine, batch), Next::held);
    setting.engine->give_back(batch.slot);
    EXPECT_EQ(next(*setting.engine, batch), Next::ready);
}

TEST(Engine, CountsAWaitForTheProgramThatIsNotOver) {
    Numbers numbers(1000);
    const Setting setting(numbers, 8, 2, 1);
    EXPECT_EQ(setting.engine->stats().waited_for_program, 0);
    setting.engine->start(whole(8));
    // Nobody takes a batch: both slots fill, and the worker waits.
    while (setting.engine->stats().waited_for_program == 0) std::this_thread::yield();
    EXPECT_EQ(setting.engine->stats().filled, 2U);
}

TEST(Engine, NobodyWaitsForTheProgramAtTheEndOfThePass) {
    Numbers numbers(8);
    const Setting setting(numbers, 8, 2, 1);
    setting.engine->start(whole(8));
    Delivery out;
    ASSERT_EQ(setting.engine->next(std::chrono::seconds(60), out), Next::ready);
    EXPECT_EQ(setting.engine->stats().waited_for_program, 0);
}

TEST(Engine, AHeldBatchIsNotWrittenToByTheNextPass) {
    Numbers source(1000);
    Setting setting(source, 8, 3);
    setting.engine->start(whole(8));
    Delivery kept;
    ASSERT_EQ(next(*setting.engine, kept), Next::ready);
    std::vector<std::byte> before(kept.data, kept.data + 64);
    for (int i = 0; i < 20; ++i) {
        setting.engine->start(whole(8));
        read_all(*setting.engine);
    }
    EXPECT_EQ(std::memcmp(kept.data, before.data(), 64), 0);
}

TEST(Engine, GoesOnFromAPositionAsIfItHadReadUpToThere) {
    Numbers source(500);
    Setting setting(source);
    setting.engine->start(whole(8));
    const auto all = read_all(*setting.engine);
    Pass later = whole(8);
    later.position = 240;
    setting.engine->start(later);
    EXPECT_EQ(read_all(*setting.engine), std::vector(all.begin() + 240, all.end()));
}

TEST(Engine, ABadSampleEndsItsBatchOrIsLeftOut) {
    Numbers source(100, {17, 60});
    Setting strict(source);
    Pass plain = whole(8);
    plain.shuffled = false;
    strict.engine->start(plain);
    Delivery batch;
    ASSERT_EQ(next(*strict.engine, batch), Next::ready);
    ASSERT_EQ(next(*strict.engine, batch), Next::ready);
    ASSERT_EQ(next(*strict.engine, batch), Next::failed);
    EXPECT_EQ(batch.error, "bad 17");

    Setting lenient(source, 8, 3, 3, true);
    lenient.engine->start(plain);
    const auto all = read_all(*lenient.engine);
    EXPECT_EQ(all.size(), 98U);
    EXPECT_EQ(std::set<std::uint64_t>(all.begin(), all.end()).count(17), 0U);
    EXPECT_EQ(lenient.engine->stats().skipped, 2U);
}

TEST(Engine, SlotsSmallerThanAStepKeepItsOrder) {
    Numbers source(103);
    Setting whole_steps(source, 8);
    Setting pieces(source, 3);
    whole_steps.engine->start(whole(8));
    pieces.engine->start(whole(8));
    EXPECT_EQ(read_all(*whole_steps.engine), read_all(*pieces.engine));
}

TEST(Engine, ManyStartsAndReturnsFromOtherThreadsLoseNoSlot) {
    Numbers source(300);
    Setting setting(source, 4, 6, 3);
    for (int round = 0; round < 50; ++round) {
        setting.engine->start(whole(4));
        std::vector<std::thread> helpers;
        Delivery batch;
        for (int i = 0; i < 5 && next(*setting.engine, batch) == Next::ready; ++i)
            helpers.emplace_back([&, slot = batch.slot] { setting.engine->give_back(slot); });
        for (std::thread& helper : helpers) helper.join();
    }
    setting.engine->start(whole(4));
    EXPECT_EQ(read_all(*setting.engine).size(), 300U);
    EXPECT_FALSE(setting.engine->held());
}

TEST(Share, RanksDivideEachStepAndTheLastOneEvenly) {
    constexpr std::uint64_t count = 103;
    std::vector<int> seen(count);
    std::set<std::uint64_t> steps;
    for (std::uint64_t rank = 0; rank < 3; ++rank) {
        Pass pass;
        pass.batch = 8;
        pass.rank = rank;
        pass.ranks = 3;
        std::uint64_t position = 0;
        std::uint64_t number = 0;
        while (true) {
            const Share share = share_of(pass, count, position);
            if (share.rows == 0) break;
            for (std::uint64_t i = 0; i < share.rows; ++i) ++seen[share.first + i];
            position = share.next;
            ++number;
        }
        EXPECT_EQ(number, steps_of(pass, count));
        steps.insert(number);
    }
    EXPECT_EQ(steps.size(), 1U);
    for (const int times : seen) EXPECT_EQ(times, 1);
}

TEST(Share, FewerSamplesThanRanksAreLeftOut) {
    Pass pass;
    pass.batch = 4;
    pass.ranks = 4;
    EXPECT_EQ(share_of(pass, 18, 16).rows, 0U);
    EXPECT_EQ(steps_of(pass, 18), 1U);
}

}  // namespace
}  // namespace holdfast::loader
