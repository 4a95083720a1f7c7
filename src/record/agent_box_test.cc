#include "record/agent_box.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "record/agent_slot_builder.h"
#include "record/box_file.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

using testing::SlotBuilder;

AgentRecord read(const SlotBuilder& slot) {
    std::optional<AgentRecord> agent = read_agent_slot(slot.bytes());
    EXPECT_TRUE(agent);
    return agent.value_or(AgentRecord{});
}

TEST(AgentSlot, NobodyEverTookIsNoAgent) {
    const auto empty = std::make_unique<format::AgentSlot>();
    EXPECT_FALSE(read_agent_slot(std::as_bytes(std::span(empty.get(), 1))));
    EXPECT_FALSE(read_agent_slot({}));
}

TEST(AgentSlot, GivesItsFramesAsText) {
    SlotBuilder slot;
    const auto inner = slot.frame("/venv/numpy/core.py", "zeros", 9);
    const auto outer = slot.frame("train.py", "Model.step", 42);
    slot.site(SlotBuilder::stack({inner, outer}), 300U << 20U).variance_kib2 = 1U << 20U;
    const AgentRecord agent = read(slot);
    ASSERT_EQ(agent.memory.sites.size(), 1U);
    const AgentSiteRecord& site = agent.memory.sites[0];
    ASSERT_EQ(site.stack.size(), 2U);
    EXPECT_EQ(agent.frames[site.stack[1]].function, "Model.step");
    EXPECT_EQ(agent.frames[site.stack[1]].line, 42);
    EXPECT_EQ(site.live_bytes, 300U << 20U);
    EXPECT_EQ(site.error_bytes, 1U << 20U);
    EXPECT_TRUE(agent.lines_readable);
}

TEST(AgentSlot, AFrameNotYetDescribedEndsItsStack) {
    SlotBuilder slot;
    const auto inner = slot.frame("a.py", "f", 1);
    slot.site(SlotBuilder::stack({inner, 700, inner}), 4096);
    EXPECT_EQ(read(slot).memory.sites.at(0).stack.size(), 1U);
}

TEST(AgentSlot, ATextThatLiesOutsideIsEmpty) {
    SlotBuilder slot;
    slot.frame("a.py", "f", 1);
    slot->frames[0].file = {~0U, 2};
    slot->frames[0].function = {0, ~0U};
    slot->frame_count = ~0U;
    const AgentRecord agent = read(slot);
    EXPECT_EQ(agent.frames.size(), format::agent_frame_capacity);
    EXPECT_EQ(agent.frames[0].file, "");
    EXPECT_EQ(agent.frames[0].function, "");
}

TEST(AgentSlot, WindowsGoForwardInTime) {
    SlotBuilder slot;
    for (const int end : {10, 20, 40, 30, 40, 60}) slot.window(end, 1);
    slot.site(SlotBuilder::stack({}), 1U << 20U, {1, 2, 3, 4, 5, 6});
    const AgentRecord agent = read(slot);
    ASSERT_EQ(agent.memory.windows.size(), 4U);
    EXPECT_EQ(agent.memory.windows[3].end, 60);
    EXPECT_EQ(agent.memory.sites[0].live_at_window,
              (std::vector<std::uint64_t>{1U << 20U, 2U << 20U, 3U << 20U, 6U << 20U}));
}

TEST(AgentSlot, ARecordHalfWrittenHasNoTimeAndIsLeftOut) {
    SlotBuilder slot;
    slot->signals[0] = {5, SIGTERM, 0, 77, 1000, "bash"};
    slot->signals[1] = {0, SIGTERM, 0, 78, 1000, "half"};
    slot->signals[2] = {3, 900, 0, 79, 1000, "forged"};
    slot->exit.kind = format::AgentExitKind::os_exit;
    const AgentRecord agent = read(slot);
    ASSERT_EQ(agent.signals.size(), 1U);
    EXPECT_EQ(agent.signals[0].sender, "bash");
    EXPECT_FALSE(agent.exit);
}

TEST(AgentSlot, StepsAreOrderedWhereverTheyLie) {
    SlotBuilder slot;
    slot->steps.count = 66;
    for (std::uint64_t n = 3; n <= 66; ++n) {
        format::AgentStep& step = slot->steps.ring[n % format::agent_step_ring];
        step = {static_cast<std::int64_t>(n), n, format::unknown, format::unknown, 0.5, 1, 0};
    }
    slot->steps.ring[0].number = 900;  // no such step was counted
    const AgentStepsRecord steps = read(slot).steps;
    ASSERT_EQ(steps.last_steps.size(), 63U);
    EXPECT_EQ(steps.last_steps.front().number, 3U);
    EXPECT_EQ(steps.last_steps.back().number, 66U);
    EXPECT_FALSE(steps.last_steps.back().gpu_allocated);
    EXPECT_EQ(steps.last_steps.back().loss, 0.5);
}

TEST(AgentSlot, LaunchesComeInTheirOrderWithWhatIsKnownOfThem) {
    SlotBuilder slot;
    const auto line = slot.frame("train.py", "step", 42);
    const auto kernel = slot.frame("", "nll_loss", 0);
    format::AgentLaunches& launches = slot->launches;
    launches.time = 5;
    launches.count = 4;
    launches.flags = format::launches_of_graphs;
    launches.rows[0] = {kernel, line, 7, 9, format::launch_borrowed};
    launches.rows[1] = {kernel, format::no_frame, 1, 3, 0};
    launches.rows[2] = {line, kernel, 1, 4, 0};  // a line is no kernel, a kernel no line
    launches.rows[3] = {900, 900, 1, 5, 0};
    const AgentRecord agent = read(slot);
    ASSERT_TRUE(agent.launches);
    EXPECT_TRUE(agent.launches->all_seen);
    EXPECT_TRUE(agent.launches->graphs);
    EXPECT_FALSE(agent.launches->elsewhere);
    const std::vector<AgentLaunchRecord>& rows = agent.launches->rows;
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].kernel, "nll_loss");
    EXPECT_FALSE(rows[0].line);
    for (const std::size_t nonsense : {1U, 2U}) {
        EXPECT_EQ(rows[nonsense].kernel, "");
        EXPECT_FALSE(rows[nonsense].line);
    }
    EXPECT_EQ(rows[3].line, line);
    EXPECT_TRUE(rows[3].borrowed);
    EXPECT_EQ(rows[3].count, 7U);

    launches.count = ~0U;
    EXPECT_EQ(read(slot).launches->rows.size(), format::agent_launch_rows);
    EXPECT_FALSE(read(slot).launches->all_seen);
    launches.time = 0;
    EXPECT_FALSE(read(slot).launches);
}

TEST(AgentSlot, TextIsMadePrintable) {
    SlotBuilder slot;
    slot->exceptions[0].time = 5;
    std::memset(slot->exceptions[0].message, 0x1b, sizeof slot->exceptions[0].message);
    slot->notes[0] = {7, format::AgentNoteKind::warning, ~0U, 0, 0, "User\x1b[2JWarning"};
    const AgentRecord agent = read(slot);
    EXPECT_EQ(agent.exceptions.at(0).message.find('\x1b'), std::string::npos);
    EXPECT_EQ(agent.notes.at(0).text.find('\x1b'), std::string::npos);
}

class AgentBoxFile : public ::testing::Test {
protected:
    void SetUp() override {
        RunHome home;
        home.candidates.push_back({place_.path(), false});
        auto run = RunDirectory::create(home, "20261115-042447-123-4242");
        ASSERT_TRUE(run) << run.error().text;
        run_ = std::make_unique<RunDirectory>(std::move(*run));
        auto box = AgentBox::create(run_.get(), {});
        ASSERT_TRUE(box) << box.error().text;
        box_ = std::make_unique<AgentBox>(std::move(*box));
    }
    void put(std::uint32_t number, const SlotBuilder& slot) {
        const auto at = format::agent_slots_offset + number * format::agent_slot_space;
        ASSERT_EQ(
            ::pwrite(box_->fd(), slot.bytes().data(), slot.bytes().size(), static_cast<off_t>(at)),
            static_cast<ssize_t>(slot.bytes().size()));
    }

    TemporaryDirectory place_;
    std::unique_ptr<RunDirectory> run_;
    std::unique_ptr<AgentBox> box_;
};

TEST_F(AgentBoxFile, IsEmptyWhenMade) {
    const auto read = read_agents(*run_);
    ASSERT_TRUE(read) << read.error().text;
    EXPECT_TRUE(read->agents.empty());
    EXPECT_FALSE(read->truncated);
}

TEST_F(AgentBoxFile, GivesItsAgentsInTheOrderTheyBegan) {
    put(0, SlotBuilder(300, 30));
    put(63, SlotBuilder(200, 20));
    const auto read = read_agents(*run_);
    ASSERT_TRUE(read) << read.error().text;
    ASSERT_EQ(read->agents.size(), 2U);
    EXPECT_EQ(read->agents[0].pid, 200);
    EXPECT_EQ(read->agents[1].pid, 300);
}

TEST_F(AgentBoxFile, CutShortGivesWhatIsLeft) {
    put(0, SlotBuilder(300, 30));
    put(1, SlotBuilder(301, 31));
    ASSERT_EQ(::ftruncate(box_->fd(), format::agent_slots_offset + format::agent_slot_space + 500),
              0);
    const auto read = read_agents(*run_);
    ASSERT_TRUE(read) << read.error().text;
    ASSERT_EQ(read->agents.size(), 2U);
    EXPECT_TRUE(read->truncated);
    EXPECT_EQ(read->agents[1].pid, 301);
}

TEST_F(AgentBoxFile, OfAnotherSizeIsRefused) {
    auto other = make_box(run_.get(), "other.box", format::BoxKind::agent,
                          format::agent_box_size - format::agent_slots * 4096U, {}, {});
    ASSERT_TRUE(other) << other.error().text;
    EXPECT_FALSE(read_agents(other->fd()));
}

TEST_F(AgentBoxFile, OfAnotherKindIsRefused) {
    ASSERT_EQ(::pwrite(box_->fd(), "X", 1, 0), 1);
    EXPECT_FALSE(read_agents(*run_));
}

TEST_F(AgentBoxFile, AMissingOneIsEnoent) {
    ASSERT_EQ(::unlinkat(run_->fd(), run_file::agent, 0), 0);
    const auto read = read_agents(*run_);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().number, ENOENT);
}

}  // namespace
}  // namespace holdfast
