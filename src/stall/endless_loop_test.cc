// A loop that never ends, and what looks like one from outside.
#include "stall/endless_loop.h"

#include <gtest/gtest.h>

#include <map>

namespace holdfast {
namespace {

using namespace std::chrono_literals;

// A program that prints a line per epoch, and calls draw() in each.
const std::string program =
    "def draw(n):\n"                        // 1
    "    found = []\n"                      // 2
    "    while len(found) < n:\n"           // 3
    "        x = sample()\n"                // 4
    "        if x > 0:\n"                   // 5
    "            found.append(x)\n"         // 6
    "    return found\n"                    // 7
    "\n"                                    // 8
    "def evaluate():\n"                     // 9
    "    for x in data:\n"                  // 10
    "        predict(x)\n"                  // 11
    "\n"                                    // 12
    "for epoch in range(60):\n"             // 13
    "    for batch in batches:\n"           // 14
    "        train(batch)\n"                // 15
    "    got = draw(64)\n"                  // 16
    "    evaluate()\n"                      // 17
    "    print(epoch)\n"                    // 18
    "while worse():\n"                      // 19
    "    got = [work(x) for x in data]\n";  // 20

class Loops : public ::testing::Test {
protected:
    std::map<std::string, SourceLoops> sources_{{"/home/me/train.py", loops_of(program)}};
    LoopHistory history_;
    Nanos now_ = 1s;
    std::uint64_t writes_ = 3;
    double share_ = 1;

    static std::vector<Frame> at(int line) { return {{"/home/me/train.py", line, "<module>"}}; }
    static std::vector<Frame> in_draw(int line) {
        std::vector<Frame> frames = at(16);
        frames.push_back({"/home/me/train.py", line, "draw"});
        return frames;
    }
    static std::vector<Frame> in_evaluate(int line) {
        std::vector<Frame> frames = at(17);
        frames.push_back({"/home/me/train.py", line, "evaluate"});
        return frames;
    }

    void look(std::vector<Frame> frames, int instruction) {
        now_ += 1s;
        ran_ += std::chrono::duration_cast<Nanos>(share_ * Nanos(1s));
        history_.add({now_, writes_, ran_, std::move(frames), instruction});
    }
    // Six epochs of a second.
    void train() {
        for (int epoch = 0; epoch < 6; ++epoch) {
            look(epoch % 3 == 0 ? at(15) : in_draw(4), epoch);
            ++writes_;
        }
    }
    void draw_for(int seconds) {
        for (int i = 0; i < seconds; ++i) look(in_draw(3 + i % 3), 2 * i % 10);
    }
    std::optional<EndlessLoop> judge() {
        return history_.judge(now_, [this](const std::string& file) -> const SourceLoops* {
            const auto found = sources_.find(file);
            return found == sources_.end() ? nullptr : &found->second;
        });
    }

private:
    Nanos ran_{};
};

TEST_F(Loops, one_that_was_quick_before_and_is_never_left_is_endless) {
    train();
    draw_for(12);
    EXPECT_FALSE(judge());  // not long enough
    draw_for(20);
    const auto found = judge();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->function, "draw");
    EXPECT_EQ(found->first, 3);
    EXPECT_EQ(found->last, 6);
    EXPECT_EQ(found->usual, Nanos(1s));
    EXPECT_EQ(found->longest, Nanos(1s));
    EXPECT_EQ(found->frames_inside(in_draw(4)), 0);
    EXPECT_EQ(found->frames_inside(at(15)), std::nullopt);
    std::vector<Frame> deeper = in_draw(4);
    deeper.push_back({"/home/me/other.py", 4, "sample"});
    EXPECT_EQ(found->frames_inside(deeper), 1);
}

TEST_F(Loops, the_function_that_it_calls_may_take_all_the_time) {
    train();
    for (int i = 0; i < 30; ++i) {
        std::vector<Frame> frames = in_draw(4);
        frames.push_back({"/usr/lib/python3.11/random.py", 200 + i % 4, "gauss"});
        look(frames, i);
    }
    // All looks are in the same function; there may be a loop in it that nobody can read.
    EXPECT_FALSE(judge());
    std::string lines;
    for (int i = 0; i < 300; ++i) lines += "x = 1\n";
    sources_["/usr/lib/python3.11/random.py"] = loops_of(lines);
    ASSERT_TRUE(judge());
    EXPECT_EQ(judge()->function, "draw");
}

TEST_F(Loops, writing_or_leaving_it_is_progress) {
    train();
    draw_for(30);
    ++writes_;
    draw_for(2);
    EXPECT_FALSE(judge());
    draw_for(200);
    EXPECT_TRUE(judge());
    look(at(15), 1);
    EXPECT_FALSE(judge());
}

TEST_F(Loops, a_long_evaluation_is_no_endless_loop) {
    train();
    for (int i = 0; i < 100; ++i) look(in_evaluate(10 + i % 2), i);
    EXPECT_FALSE(judge());
}

TEST_F(Loops, one_long_call_of_native_code_is_none) {
    train();
    for (int i = 0; i < 100; ++i) look(in_draw(4), 8);
    EXPECT_FALSE(judge());
}

TEST_F(Loops, a_thread_that_waits_now_and_then_is_not_caught) {
    train();
    share_ = 0.5;
    draw_for(100);
    EXPECT_FALSE(judge());
}

TEST_F(Loops, a_first_epoch_has_no_usual_length) {
    // It printed its settings, then a bar for the batches of its first epoch.
    const std::size_t bar = program.find("batches:");
    sources_["/home/me/train.py"] =
        loops_of(std::string(program).replace(bar, 8, "tqdm(batches):"));
    for (int i = 0; i < 6; ++i, ++writes_) look(at(i < 3 ? 1 : 15), i);
    draw_for(100);
    EXPECT_FALSE(judge());
}

TEST_F(Loops, one_turn_is_enough_if_the_loop_itself_has_ended_before) {
    look(at(15), 0);
    writes_ += 10;
    look(in_draw(4), 0);
    draw_for(2);
    writes_ += 1;
    draw_for(40);
    EXPECT_TRUE(judge());
}

TEST_F(Loops, a_comprehension_in_the_loop_that_writes_is_no_loop_that_writes) {
    for (int epoch = 0; epoch < 6; ++epoch, ++writes_) {
        std::vector<Frame> frames = at(15);
        frames.push_back({"/home/me/train.py", 15, "<listcomp>"});
        look(std::move(frames), epoch);
    }
    draw_for(32);
    EXPECT_TRUE(judge());
}

TEST_F(Loops, a_stack_that_changed_while_it_was_read_does_not_count) {
    train();
    draw_for(15);
    look({{"/home/me/train.py", 4, "draw"}}, 1);
    draw_for(15);
    EXPECT_TRUE(judge());
}

TEST_F(Loops, programs_that_write_rarely_need_longer) {
    for (int epoch = 0; epoch < 6; ++epoch, ++writes_) {
        draw_for(9);
        look(at(15), epoch);
    }
    draw_for(100);
    EXPECT_FALSE(judge());
    draw_for(120);
    EXPECT_TRUE(judge());
}

TEST_F(Loops, a_loop_behind_the_epochs_has_no_usual_length) {
    train();
    for (int i = 0; i < 100; ++i) look(at(19 + i % 2), i);
    EXPECT_FALSE(judge());
}

TEST_F(Loops, a_comprehension_within_it_may_be_what_takes_so_long) {
    const std::string changed = std::string(program).replace(program.find("x = sample()"), 12,
                                                             "x = sum(f(y) for y in data)");
    sources_["/home/me/train.py"] = loops_of(changed);
    train();
    for (int i = 0; i < 100; ++i) {
        std::vector<Frame> frames = in_draw(4);
        frames.push_back({"/home/me/train.py", 4, "draw.<locals>.<genexpr>"});
        look(frames, i);
    }
    EXPECT_FALSE(judge());
}

TEST_F(Loops, without_its_text_nothing_is_said) {
    sources_.clear();
    train();
    draw_for(100);
    EXPECT_FALSE(judge());
}

}  // namespace
}  // namespace holdfast
