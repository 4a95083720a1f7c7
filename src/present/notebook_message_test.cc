#include "present/notebook_message.h"

#include <gtest/gtest.h>

#include "present/hostile_verdicts.h"

namespace holdfast {
namespace {

Verdict leak() {
    Verdict verdict;
    verdict.outcome = Outcome::died;
    verdict.run.id = "20261115-042447-123-4242";
    verdict.end = {"cgroup-oom"_cause,
                   Confidence::certain,
                   "It ended at 512 MiB.",
                   {},
                   {},
                   {{"raise the limit", ""}},
                   {}};
    verdict.root = {"host-leak"_cause,
                    Confidence::likely,
                    "It grew.",
                    {},
                    {},
                    {{"let go", "del x"}, {"b", ""}, {"c", ""}},
                    {}};
    verdict.root.where = Where{"cell [3]", 2, "", "kept.append(x)"};
    verdict.memory.peak = Bytes::mib(512);
    verdict.memory.limit = Bytes::mib(512);
    verdict.memory.curve = {{Nanos(0), Bytes::mib(1), {}},
                            {Nanos(1'000'000'000), Bytes::mib(512), {}}};
    return verdict;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + '\n';
    return text;
}

TEST(NotebookMessage, TellCauseRootPlaceAndFix) {
    const NotebookMessage words = notebook_message(leak());
    EXPECT_EQ(words.headline,
              "HF101 cgroup-oom: Killed by the kernel at its container's memory limit (host-leak), "
              "at cell [3], line 2");
    // The panel is above it, so it is short.
    EXPECT_EQ(words.error, "HF101 cgroup-oom (host-leak), at cell [3], line 2");
    const std::string text = joined(words.lines);
    for (const char* part : {"KernelDied", "512 MiB", "It grew.", "cell [3], line 2",
                             "kept.append(x)", "let go", "holdfast explain HF110"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(NotebookMessage, ThePanelHasACurveOnlyWhereMemoryWasSeen) {
    EXPECT_NE(notebook_panel(leak()).find("<polyline"), std::string::npos);
    // A picture that shrinks would shrink its text, too.
    EXPECT_EQ(notebook_panel(leak()).find("<text"), std::string::npos);
    Verdict blind = leak();
    blind.memory = {};
    EXPECT_EQ(notebook_panel(blind).find("<svg"), std::string::npos);
}

TEST(NotebookMessage, NamesInBackticksAreCode) {
    Verdict verdict = leak();
    verdict.root.summary = "Kept by `rows<int>`.";
    verdict.root.fixes = {{"Empty `rows`, don't keep `it", ""}};
    const std::string html = notebook_panel(verdict);
    EXPECT_NE(html.find("Kept by <code>rows&lt;int&gt;</code>."), std::string::npos) << html;
    EXPECT_NE(html.find("Empty `rows`, don&#39;t keep `it"), std::string::npos) << html;
}

TEST(NotebookMessage, NoTextFromElsewhereBecomesMarkup) {
    Verdict verdict = leak();
    verdict.root.where->text = "<script>alert('x')</script>";
    verdict.end.summary = "\"><img src=x onerror=alert(1)>";
    const std::string html = notebook_panel(verdict);
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find("<img"), std::string::npos);
    testing::HostileVerdicts hostile(7);
    for (int i = 0; i < 50; ++i) {
        const NotebookMessage words = notebook_message(hostile.verdict());
        EXPECT_EQ(words.html.find('\x1b'), std::string::npos);
        EXPECT_LT(words.html.size(), 200'000U);
        EXPECT_EQ(words.headline.find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace holdfast
