#include "present/explanation.h"

#include <gtest/gtest.h>

#include "present/hostile_verdicts.h"
#include "present/page_rules.h"

namespace holdfast {
namespace {

constexpr std::string_view page =
    "# HF101 cgroup-oom\n"
    "\n"
    "The kernel killed it: see `memory.max`,\n"
    "in its *own* cgroup.\n"
    "\n"
    "## What to do\n"
    "- Hold less, for example with a\n"
    "  smaller batch.\n"
    "12. Read [the manual](https://docs.kernel.org/x.html).\n"
    "```sh\n"
    "cat memory.max    # the limit\n"
    "```\n";

TEST(Explanation, KeepsTheStructureAndWrapsTheText) {
    EXPECT_EQ(explanation(page, {40, false, true}),
              "HF101 cgroup-oom\n"
              "\n"
              "  The kernel killed it: see\n"
              "  `memory.max`, in its own cgroup.\n"
              "\n"
              "What to do\n"
              "  • Hold less, for example with a\n"
              "    smaller batch.\n"
              "  12. Read the manual\n"
              "      (https://docs.kernel.org/x.html).\n"
              "    cat memory.max    # the limit\n");
}

TEST(Explanation, ColourReplacesTheMarks) {
    const std::string shown = explanation("see `a b` here\n", {40, true, true});
    EXPECT_EQ(shown, "  see \x1b[33ma\x1b[0m \x1b[33mb\x1b[0m here\n");
}

TEST(Explanation, ALoneMarkIsText) {
    EXPECT_EQ(explanation("2 * 3 ` [x] <y\n", {}), "  2 * 3 ` [x] <y\n");
}

TEST(Explanation, AnythingAtAllFitsTheWidth) {
    testing::HostileVerdicts hostile(3);
    for (int i = 0; i < 6; ++i) {
        const std::string text = std::string(page) + "- " + hostile.text() + "\n\n`" +
                                 hostile.text() + "`\n```\n" + hostile.text() + "\n# " +
                                 hostile.text();
        testing::for_each_style([&](const Style& style) {
            EXPECT_EQ(testing::broken_rule(explanation(text, style), style), "");
        });
    }
}

}  // namespace
}  // namespace holdfast
