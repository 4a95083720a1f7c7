#include "diagnose/words/missing.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast {
namespace {

std::vector<MissingKind> kinds_with_a_sentence() {
    std::vector<MissingKind> kinds;
    for (std::size_t i = 0; i < missing_kind_words.size(); ++i)
        if (const auto kind = static_cast<MissingKind>(i); !is_told_by_text(kind))
            kinds.push_back(kind);
    return kinds;
}

TEST(MissingWords, EveryKindHasASentenceOfItsOwn) {
    std::set<std::string> seen;
    for (const MissingKind kind : kinds_with_a_sentence())
        EXPECT_TRUE(seen.insert(sentence_about({kind, {}})).second)
            << missing_kind_words[static_cast<std::size_t>(kind)];
    EXPECT_FALSE(seen.contains(""));
}

TEST(MissingWords, TheDetailOfAnUntypedEntryIsItsSentence) {
    EXPECT_EQ(sentence_about({MissingKind::other, "no moon"}), "no moon");
    EXPECT_EQ(sentence_about({MissingKind::record_damaged, "gpu.box: cut"}), "gpu.box: cut");
    EXPECT_EQ(sentence_about({MissingKind::kernel_log, "kernel log not readable"}),
              "kernel log not readable");
}

TEST(MissingWords, AReasonFollowsWhatIsMissing) {
    EXPECT_EQ(sentence_about({MissingKind::memory_cgroup, {}}), "no memory cgroup visible");
    EXPECT_EQ(sentence_about({MissingKind::memory_cgroup, "not mounted"}),
              "no memory cgroup visible: not mounted");
    EXPECT_EQ(sentence_about({MissingKind::lost_at_known_end, "crashed"}),
              "the supervisor crashed: nobody looked at the end");
}

// Recordings from before there were kinds hold these sentences.
TEST(MissingWords, AnOldSentenceIsReadAsBeingAboutTheSameSubject) {
    for (const MissingKind kind : kinds_with_a_sentence()) {
        const std::string text = sentence_about({kind, "was lost"});
        EXPECT_EQ(Missing::from_text(text).what, subject_of(kind)) << text;
        EXPECT_EQ(sentence_about(Missing::from_text(text)), text);
    }
}

}  // namespace
}  // namespace holdfast
