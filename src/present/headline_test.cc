#include "present/headline.h"

#include <gtest/gtest.h>

#include <set>

namespace holdfast {
namespace {

TEST(Headline, EveryCauseHasAShortOneOfItsOwn) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < catalogue.size(); ++i) {
        const std::string_view text = headline_of(CauseId::at(i));
        EXPECT_LE(text.size(), 60U) << text;
        EXPECT_NE(text, catalogue[i].meaning);
        EXPECT_TRUE(seen.insert(text).second) << text;
    }
}

TEST(Headline, SaysHowSureItIs) {
    Statement finding{"killed"_cause, Confidence::certain, {}, {}, {}, {}, {}};
    EXPECT_EQ(headline_of(finding), "Somebody killed it");
    finding.confidence = Confidence::likely;
    EXPECT_EQ(headline_of(finding), "Probably: Somebody killed it");
    finding.confidence = Confidence::unknown;
    EXPECT_EQ(headline_of(finding), "Perhaps: Somebody killed it");
    finding.cause = "unknown-kill"_cause;
    EXPECT_EQ(headline_of(finding), "Killed, and nothing says by whom or why");
}

}  // namespace
}  // namespace holdfast
