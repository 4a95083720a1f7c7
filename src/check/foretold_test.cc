#include "check/foretold.h"

#include <gtest/gtest.h>

namespace holdfast::check {
namespace {

CheckReport report(Severity severity) {
    CheckReport report;
    report.findings.push_back(
        {"fd-limit"_cause, severity, "open-files", "A process may open 100 files.", {}, {}});
    return report;
}

Verdict death_of(CauseId cause) {
    Verdict verdict;
    verdict.outcome = Outcome::died;
    verdict.end.cause = cause;
    verdict.root.cause = cause;
    return verdict;
}

TEST(Foretold, AnEndOfTheSameCauseQuotesTheFinding) {
    Verdict verdict = death_of("fd-limit"_cause);
    add_foretold(verdict, report(Severity::will_hurt));
    EXPECT_EQ(verdict.foretold, std::vector<std::string>{"HF502"});
    ASSERT_EQ(verdict.root.evidence.size(), 1U);
    EXPECT_EQ(verdict.root.evidence[0].text, "A process may open 100 files.");
}

TEST(Foretold, AnotherEndNamesTheCodeAndQuotesNothing) {
    Verdict verdict = death_of("cgroup-oom"_cause);
    add_foretold(verdict, report(Severity::will_hurt));
    EXPECT_EQ(verdict.foretold, std::vector<std::string>{"HF502"});
    EXPECT_TRUE(verdict.root.evidence.empty());
}

TEST(Foretold, ANoteForetellsNothing) {
    Verdict verdict = death_of("fd-limit"_cause);
    add_foretold(verdict, report(Severity::note));
    EXPECT_TRUE(verdict.foretold.empty());
    EXPECT_TRUE(verdict.root.evidence.empty());
}

}  // namespace
}  // namespace holdfast::check
