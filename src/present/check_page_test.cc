#include "present/check_page.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

CheckReport report_of(std::vector<std::string> frameworks) {
    CheckReport report;
    report.python = {"/srv/env/bin/python", "3.11", std::move(frameworks)};
    report.fine = 40;
    return report;
}

TEST(CheckPage, SaysWhoseEnvironmentItWas) {
    const std::string with = check_page(report_of({"torch 2.9.0", "jax 0.7.0"}), Style{});
    EXPECT_NE(with.find("Checked: Python 3.11, /srv/env/bin/python, with torch 2.9.0, jax 0.7.0."),
              std::string::npos)
        << with;
    EXPECT_NE(check_page(report_of({}), Style{}).find("without torch, tensorflow and jax."),
              std::string::npos);
    EXPECT_NE(check_page({}, Style{}).find("No Python was found"), std::string::npos);
}

TEST(CheckPage, CountsTheReasonsOfWhatWasNotPossible) {
    CheckReport report = report_of({});
    report.impossible = {{"a", "no GPU"}, {"b", "no sensors"}, {"c", "no GPU"}};
    const std::string page = check_page(report, Style{});
    EXPECT_NE(page.find("40 checks fine, 3 not possible: no GPU (2), no sensors (1)."),
              std::string::npos)
        << page;
}

TEST(CheckPage, OnlyWhatBlocksIsSaidBeforeARun) {
    CheckReport report = report_of({});
    report.findings = {{"numpy-abi"_cause, Severity::blocks, "numpy-builds", "It cannot.", {}, {}},
                       {"fd-limit"_cause, Severity::will_hurt, "open-files", "Few.", {}, {}}};
    EXPECT_EQ(blocking_notice(report, Style{}),
              "holdfast: It cannot. (HF408 numpy-abi); more: holdfast check\n");
    report.findings.erase(report.findings.begin());
    EXPECT_EQ(blocking_notice(report, Style{}), "");
}

}  // namespace
}  // namespace holdfast
