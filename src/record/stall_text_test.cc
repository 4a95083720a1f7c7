// A stall's threads survive the way through the black box, and nothing can be forged into it.
#include "record/stall_text.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

StallThread waiting() {
    StallThread thread;
    thread.tid = 42;
    thread.name = "MainThread";
    thread.state = 'S';
    thread.wait = WaitKind::lock;
    thread.inside = thread.own_lock = true;
    thread.call = "futex";
    thread.wait_channel = "futex_wait_queue";
    thread.owner = 43;
    thread.native = {"libgomp.so.1 gomp_team_end"};
    thread.frames = {{"train.py", "step", 17}, {"train.py", "<module>", std::nullopt}};
    return thread;
}

TEST(StallText, a_thread_comes_back_as_it_was) {
    const auto back = parse_stall_text(stall_text({waiting()}, 8000));
    ASSERT_EQ(back.size(), 1U);
    EXPECT_EQ(back[0].tid, 42);
    EXPECT_EQ(back[0].wait, WaitKind::lock);
    EXPECT_TRUE(back[0].inside && back[0].own_lock);
    EXPECT_FALSE(back[0].timed || back[0].holds_gil);
    EXPECT_EQ(back[0].owner, 43);
    EXPECT_EQ(back[0].native, waiting().native);
    ASSERT_EQ(back[0].frames.size(), 2U);
    EXPECT_EQ(back[0].frames[0].line, 17);
    EXPECT_EQ(back[0].frames[1].line, std::nullopt);
    EXPECT_EQ(back[0].frames[1].function, "<module>");
}

TEST(StallText, a_name_cannot_forge_a_frame) {
    StallThread thread = waiting();
    thread.name = "x\nF 1\tevil.py\tevil";
    thread.frames.clear();
    EXPECT_TRUE(parse_stall_text(stall_text({thread}, 8000)).front().frames.empty());
}

TEST(StallText, what_does_not_fit_is_left_out_by_whole_lines) {
    const std::string text = stall_text({waiting(), waiting()}, 200);
    EXPECT_LE(text.size(), 200U);
    EXPECT_EQ(text.back(), '\n');
    EXPECT_EQ(parse_stall_text(text).front().frames.size(), 2U);
}

TEST(StallText, a_cut_line_does_not_count) {
    EXPECT_EQ(parse_stall_text("T 1 a\nW S\tlock\t\tfutex\t\t\t\nF 12\tfi").front().frames.size(),
              0U);
}

}  // namespace
}  // namespace holdfast
