// Which loops of a source may turn for ever.
#include "stall/source_loops.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

// The first loop of the text.
SourceLoop first_of(std::string_view text) {
    const SourceLoops found = loops_of(text);
    return found.loops.empty() ? SourceLoop{} : found.loops.front();
}

bool is_open(std::string_view text) { return first_of(text).open; }

TEST(SourceLoops, knows_lines_nesting_and_functions) {
    const SourceLoops found = loops_of(
        "'''while True:\n"
        "    pass'''\n"
        "for epoch in range(3):  # while\n"
        "    def draw():\n"
        "        return 1\n"
        "    while (left and\n"
        "           right):\n"
        "        x = draw(\n"
        "            1)\n"
        "\n"
        "    print(x)\n"
        "done = True\n");
    ASSERT_EQ(found.loops.size(), 2U);
    EXPECT_EQ(found.loops[0].first, 3);
    EXPECT_EQ(found.loops[0].last, 11);
    EXPECT_TRUE(found.loops[0].writes);
    EXPECT_FALSE(found.loops[0].open);
    EXPECT_EQ(found.loops[1].first, 6);
    EXPECT_EQ(found.loops[1].last, 9);
    EXPECT_EQ(found.loops[1].parent, 0);
    EXPECT_TRUE(found.loops[1].open);
    EXPECT_EQ(found.line(5)->loop, -1);  // another function's
    EXPECT_EQ(found.line(7)->loop, 1);
    EXPECT_EQ(found.line(9)->loop, 1);
    EXPECT_EQ(found.line(9)->statement, 8);
    EXPECT_EQ(found.line(11)->loop, 0);
    EXPECT_EQ(found.line(12)->loop, -1);
    EXPECT_EQ(found.line(13), nullptr);
    EXPECT_EQ(found.line(-1), nullptr);
}

TEST(SourceLoops, a_condition_that_nothing_moves_on_may_stay_for_ever) {
    EXPECT_TRUE(is_open("while high - low > eps:\n    mid = (low + high) / 2\n    high = mid\n"));
    EXPECT_TRUE(
        is_open("while len(found) < n:\n    x = draw()\n    if x > 0:\n"
                "        found.append(x)\n"));
    EXPECT_TRUE(is_open("while True:\n    x = draw()\n    if x > 0:\n        break\n"));
    EXPECT_TRUE(is_open("while kept < n:\n    kept += mask(x).sum()\n"));
    EXPECT_TRUE(is_open("while kept < n:\n    if ok(x):\n        kept += 1\n"));
    EXPECT_TRUE(is_open("while rate != 0.3:\n    rate += 0.1\n"));
    EXPECT_TRUE(is_open("while not done:\n    state, reward, done = env.step(0)\n"));
}

TEST(SourceLoops, what_counts_or_empties_itself_ends) {
    EXPECT_FALSE(is_open("for i in range(10 ** 12):\n    work(i)\n"));
    EXPECT_FALSE(is_open("async for x in stream:\n    work(x)\n"));
    EXPECT_FALSE(is_open("while i < n:\n    work(i)\n    i += 1\n"));
    EXPECT_FALSE(is_open("while at < n:\n    work(i)\n    at = at + size\n"));
    EXPECT_FALSE(is_open("while i != n:\n    i += 1\n"));
    EXPECT_FALSE(is_open("while err > eps and i < n:\n    err = fit()\n    i += 1\n"));
    EXPECT_FALSE(is_open("while True:\n    tries += 1\n    if tries > 9:\n        break\n"));
    EXPECT_FALSE(is_open("while queue:\n    x = queue.pop()\n    work(x)\n"));
    EXPECT_FALSE(is_open("while heap:\n    x = heapq.heappop(heap)\n"));
}

TEST(SourceLoops, what_fetches_waits_or_reports_is_left_alone) {
    EXPECT_FALSE(is_open("while True:\n    batch = next(batches)\n    work(batch)\n"));
    EXPECT_FALSE(is_open("while not stop:\n    time.sleep(1)\n"));
    EXPECT_FALSE(is_open("while time.time() < end:\n    work()\n"));
    EXPECT_FALSE(is_open("while line:\n    line = file.readline()\n"));
    EXPECT_FALSE(is_open("while True:\n    yield make()\n"));
    EXPECT_FALSE(is_open("while not ok:\n    ok = work()\n    logger.info('again')\n"));
    EXPECT_FALSE(is_open("while worse:\n    for x in tqdm(data):\n        work(x)\n"));
}

TEST(SourceLoops, odd_text_makes_no_trouble) {
    for (const std::string_view text :
         {"", "while", "while :", "for", "'''", "\"", "\\", "while x:\\\n", "while (", ")]}",
          "while x: y", "\twhile x:\n  \ty", "while 1:\r\n    x\r\n", "a\0b", "while x:\n'''\n\\"})
        (void)loops_of(text);
    EXPECT_TRUE(is_open("while x: y = z(x)"));
    EXPECT_TRUE(is_open("while 1:\r\n\tx = f(x)\r\n"));
}

}  // namespace
}  // namespace holdfast
