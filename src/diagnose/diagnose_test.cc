// What a verdict carries whichever rule spoke.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

TEST(Running, IsNoDeath) {
    Story story;
    story.evidence().ended = false;
    story.evidence().command_alive = true;
    story.evidence().end_time.reset();
    const Verdict v = story.verdict();
    EXPECT_EQ(v.outcome, Outcome::running);
    EXPECT_EQ(v.root.confidence, Confidence::unknown);
    story.evidence().supervisor_lost = true;
    EXPECT_EQ(story.verdict().outcome, Outcome::running);
}

TEST(Verdict, CarriesWhatTheEvidenceHas) {
    Story story;
    story.exits(0).evidence().missing = {{MissingKind::kernel_log_closed_now, {}}};
    story.evidence().run.id = "r1";
    story.evidence().memory.peak = Bytes::mib(7);
    const Verdict v = story.verdict();
    EXPECT_EQ(v.run.id, "r1");
    EXPECT_EQ(v.memory.peak, Bytes::mib(7));
    EXPECT_EQ(v.missing, std::vector<std::string>{"kernel log not readable"});
    EXPECT_EQ(v.exit.code, 0);
}

}  // namespace
}  // namespace holdfast::testing
