#include "jupyter/cell_names.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

const std::string file = "/tmp/ipykernel_7/123.py";

CellsRead kernel_with(std::vector<CellRecord> cells) { return {42, "", "", std::move(cells)}; }

CellRecord cell(std::int64_t count, const std::string& source, const std::string& name = file) {
    return {false, count, name, source, "", {}};
}

Verdict verdict_at(const std::string& name, int line) {
    Verdict verdict;
    verdict.root = {"host-leak"_cause,
                    Confidence::likely,
                    "Memory that " + name + ":2 asks for",
                    {},
                    {{"site", name}},
                    {{"look at " + name + ":2.", ""}},
                    {}};
    verdict.root.where = Where{name, line, "<module>", ""};
    verdict.python_stack = {{"MainThread", {{name, line, "<module>"}, {"/lib/x.py", 9, "f"}}}};
    verdict.memory.top_sites = {{name, line, Bytes::mib(1), {}, {}}};
    return verdict;
}

TEST(CellNames, ACellIsCalledByItsNumberEverywhere) {
    Verdict verdict = verdict_at(file, 2);
    name_cells(verdict, kernel_with({cell(3, "kept = []\nkept.append(1)")}));
    EXPECT_EQ(verdict.root.where->file, "cell [3]");
    EXPECT_EQ(verdict.root.where->text, "kept.append(1)");
    EXPECT_EQ(verdict.root.where->function, "");
    EXPECT_EQ(verdict.root.summary, "Memory that cell [3], line 2 asks for");
    EXPECT_EQ(verdict.root.evidence[0].text, "cell [3]");
    EXPECT_EQ(verdict.root.fixes[0].text, "look at cell [3], line 2.");
    EXPECT_EQ(verdict.python_stack[0].frames[0].file, "cell [3]");
    EXPECT_EQ(verdict.python_stack[0].frames[1].file, "/lib/x.py");
    EXPECT_EQ(verdict.memory.top_sites[0].file, "cell [3]");
}

TEST(CellNames, TheSameTextRunAgainHasItsLastNumber) {
    Verdict verdict = verdict_at(file, 1);
    name_cells(verdict, kernel_with({cell(3, "x"), cell(8, "x")}));
    EXPECT_EQ(verdict.root.where->file, "cell [8]");
}

TEST(CellNames, LinesBelowATimingMagicAreCountedInTheCell) {
    Verdict verdict = verdict_at("<timed exec>", 1);
    CellRecord timed = cell(4, "%%time\nboom()");
    timed.running = true;
    name_cells(verdict, kernel_with({timed}));
    EXPECT_EQ(verdict.root.where->file, "cell [4]");
    EXPECT_EQ(verdict.root.where->line, 2);
    EXPECT_EQ(verdict.root.where->text, "boom()");
}

TEST(CellNames, LinesThatHoldMemoryAreNamedByTheirCellToo) {
    Evidence evidence;
    std::vector<MemorySite>& sites = evidence.memory.top_sites;
    sites.resize(2);
    sites[0].file = file;
    sites[0].line = 2;
    sites[1].file = "/home/u/train.py";
    // These names are in a recording, too, and it may be judged again.
    evidence.agents.emplace_back().memory.emplace().frames = {{file, 2, "<module>"}};
    name_cells(evidence, kernel_with({cell(3, "one\ntwo")}));
    EXPECT_EQ(evidence.agents[0].memory->frames[0].file, "cell [3]");
    EXPECT_EQ(sites[0].file, "cell [3]");
    EXPECT_EQ(sites[0].line, 2);
    EXPECT_EQ(sites[1].file, "/home/u/train.py");
}

TEST(CellNames, OtherFilesStayWhatTheyAre) {
    Verdict verdict = verdict_at("/home/u/train.py", 2);
    name_cells(verdict, kernel_with({cell(3, "x")}));
    EXPECT_EQ(verdict.root.where->file, "/home/u/train.py");
    EXPECT_EQ(verdict.root.where->function, "<module>");
}

TEST(CellNames, TheKernelIsNotCalledByItsCommandLine) {
    Verdict verdict = verdict_at(file, 2);
    verdict.process = {42, "main", "/env/bin/python -m ipykernel_launcher -f /run/k.json"};
    const std::string command = "python -m ipykernel_launcher -f /run/k.json";
    verdict.end.summary = command + " (pid 42) crashed.";
    verdict.root.summary = "All that " + command + " (pid 42) had; python (pid 43) had less.";
    name_cells(verdict, kernel_with({}));
    EXPECT_EQ(verdict.end.summary, "The kernel crashed.");
    EXPECT_EQ(verdict.root.summary, "All that the kernel had; python (pid 43) had less.");
}

TEST(CellNames, ALineThatTheCellDoesNotHaveHasNoText) {
    Verdict verdict = verdict_at(file, 9);
    name_cells(verdict, kernel_with({cell(3, "one line")}));
    EXPECT_EQ(verdict.root.where->line, 9);
    EXPECT_EQ(verdict.root.where->text, "");
}

}  // namespace
}  // namespace holdfast
