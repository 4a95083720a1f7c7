#include "present/terminal_verdict.h"

#include <gtest/gtest.h>

#include <csignal>

#include "present/hostile_verdicts.h"
#include "present/page_rules.h"

namespace holdfast {
namespace {

Verdict leak() {
    Verdict v;
    v.run = {"20261115-1",
             "",
             {"python", "train.py"},
             std::chrono::seconds(1794716687),
             std::chrono::seconds(1794716817),
             "gpu-07"};
    v.outcome = Outcome::died;
    v.exit.signal = SIGKILL;
    v.process = {4242, "main", "python train.py"};
    v.end = Statement{"cgroup-oom"_cause,
                      Confidence::certain,
                      "The OOM killer ended pid 4242 at its container's limit of 512 MiB.",
                      {},
                      {{"memory.events", "oom_kill 0 -> 1"}, {"exit", "SIGKILL"}},
                      {{"Give the container more memory.", "docker run --memory=2g IMAGE"}},
                      {}};
    v.root = Statement{"host-leak"_cause,
                       Confidence::likely,
                       "Live memory grew by 3.1 MiB a step.",
                       Where{"train.py", 42, "train_step", "    losses.append(loss)"},
                       {{"steps", "152, +3.1 MiB each"}},
                       {{"Keep the number, not the graph.", "losses.append(loss.item())"}},
                       {}};
    v.contributing = {Statement{
        "swap-thrash"_cause, Confidence::likely, "stalled 31 % of the time", {}, {}, {}, {}}};
    v.memory.peak = Bytes::mib(511);
    v.memory.limit = Bytes::mib(512);
    v.missing = {"kernel log not readable"};
    return v;
}

TEST(TerminalVerdict, TellsTheWholeStoryInEightyColumns) {
    EXPECT_EQ(terminal_verdict(leak(), {}),
              "━━ HOLDFAST ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ HF101 cgroup-oom · certain ━━\n"
              "\n"
              "  Killed by the kernel at its container's memory limit\n"
              "  python train.py\n"
              "  SIGKILL after 2 min 10 s · pid 4242 · 2026-11-15 04:26:57 UTC · on gpu-07\n"
              "\n"
              "  The OOM killer ended pid 4242 at its container's limit of 512 MiB.\n"
              "\n"
              "  because   Live memory grew by 3.1 MiB a step.\n"
              "            HF110 host-leak · likely\n"
              "\n"
              "  where     train.py:42 in train_step\n"
              "              losses.append(loss)\n"
              "\n"
              "  memory    peak 511 MiB, limit 512 MiB\n"
              "\n"
              "  do now    1. Keep the number, not the graph.\n"
              "                 losses.append(loss.item())\n"
              "            2. Give the container more memory.\n"
              "                 docker run --memory=2g IMAGE\n"
              "\n"
              "  evidence  memory.events  oom_kill 0 -> 1\n"
              "            exit           SIGKILL\n"
              "            steps          152, +3.1 MiB each\n"
              "\n"
              "  also      swap-thrash: stalled 31 % of the time\n"
              "\n"
              "  not seen  kernel log not readable\n"
              "\n"
              "  holdfast why 20261115-1 · holdfast explain HF110\n");
}

TEST(TerminalVerdict, ARootThatIsTheEndIsNotToldTwice) {
    Verdict v = leak();
    v.root = v.end;
    const std::string page = terminal_verdict(v, {});
    EXPECT_EQ(page.find("because"), std::string::npos) << page;
    EXPECT_EQ(page.find("oom_kill 0 -> 1"), page.rfind("oom_kill 0 -> 1")) << page;
    EXPECT_NE(page.find("explain HF101"), std::string::npos) << page;
}

TEST(TerminalVerdict, ALikelyCauseIsNotHeadlinedAsAFact) {
    Verdict v = leak();
    v.end.confidence = Confidence::likely;
    EXPECT_NE(terminal_verdict(v, {}).find("Probably: Killed by the kernel"), std::string::npos);
}

TEST(TerminalVerdict, AStackIsCutAtItsOuterEnd) {
    Verdict v = leak();
    PythonStack stack{"MainThread", {}};
    for (int i = 1; i <= 30; ++i) stack.frames.push_back({"deep.py", i, "recurse"});
    v.python_stack = {stack};
    v.native_stack = {{"libtorch_cpu.so", "at::native::add", 0x1f, {}, {}}};
    const std::string page = terminal_verdict(v, {});
    EXPECT_NE(page.find("(18 outer frames)"), std::string::npos) << page;
    EXPECT_EQ(page.find("deep.py:18 "), std::string::npos) << page;
    EXPECT_NE(page.find("deep.py:30 in recurse"), std::string::npos) << page;
    EXPECT_NE(page.find("at::native::add +0x1f in libtorch_cpu.so"), std::string::npos) << page;
}

TEST(TerminalVerdict, LibraryFramesAreFoldedButTheInnermostStays) {
    Verdict v = leak();
    const std::string library = "/v/lib/python3.11/site-packages/torch/";
    v.python_stack = {{"MainThread",
                       {{"train.py", 42, "main"},
                        {library + "a.py", 1, "a"},
                        {library + "b.py", 2, "b"},
                        {library + "c.py", 3, "c"},
                        {"model.py", 7, "forward"},
                        {library + "d.py", 4, "d"}}}};
    const std::string page = terminal_verdict(v, {});
    EXPECT_NE(page.find("(3 library frames)"), std::string::npos) << page;
    EXPECT_EQ(page.find("b.py:2"), std::string::npos) << page;
    for (const char* kept : {"train.py:42 in main", "model.py:7 in forward", "d.py:4 in d"})
        EXPECT_NE(page.find(kept), std::string::npos) << kept << page;
}

TEST(TerminalVerdict, TheLinesThatHoldMemoryAreATable) {
    Verdict v = leak();
    v.memory.top_sites = {{"train.py", 42, Bytes::mib(400), 3 << 20, Bytes::mib(60)},
                          {"data.py", 7, Bytes::mib(64), std::nullopt, Bytes::mib(2)}};
    const std::string page = terminal_verdict(v, {});
    EXPECT_NE(page.find("            400 MiB ± 60 MiB  +3 MiB a step  train.py:42\n"
                        "                      64 MiB                 data.py:7\n"),
              std::string::npos)
        << page;
}

TEST(TerminalVerdict, TheMemoryOfAPlainExceptionIsNotShown) {
    Verdict v = leak();
    v.end = v.root = Statement{"exception"_cause, Confidence::certain, "no", {}, {}, {}, {}};
    v.contributing.clear();
    v.memory.top_sites = {{"train.py", 42, Bytes::mib(400), std::nullopt, std::nullopt}};
    EXPECT_EQ(terminal_verdict(v, {}).find("train.py:42"), std::string::npos);
}

TEST(TerminalVerdict, ARunStillGoingShowsItsStatus) {
    Verdict v;
    v.run = {"20261115-1", "", {"python", "train.py"}, std::chrono::seconds(1794716687), {}, ""};
    v.process.pid = 4242;
    v.memory.limit_name = "container limit";
    v.memory.curve = {{std::chrono::seconds(0), Bytes::mib(64), Bytes::mib(512)},
                      {std::chrono::seconds(90), Bytes::mib(256), Bytes::mib(512)}};
    const std::string page = terminal_verdict(v, {});
    for (const char* text :
         {" running ━━", "since 2026-11-15 04:24:47 UTC", "seen for 90.0 s", "pid 4242",
          "256 MiB of 512 MiB in use (50 % of the container limit)", "nothing wrong seen"})
        EXPECT_NE(page.find(text), std::string::npos) << text << '\n' << page;
}

TEST(TerminalVerdict, AnythingAtAllFitsTheWidth) {
    testing::HostileVerdicts hostile(42);
    for (int i = 0; i < 6; ++i) {
        const Verdict verdict = hostile.verdict();
        testing::for_each_style([&](const Style& style) {
            EXPECT_EQ(testing::broken_rule(terminal_verdict(verdict, style), style), "") << i;
        });
    }
}

TEST(TerminalVerdict, AnythingAtAllStaysBounded) {
    testing::HostileVerdicts hostile(43);
    for (int i = 0; i < 15; ++i)
        EXPECT_LT(split(terminal_verdict(hostile.verdict(), {}), '\n').size(), 300U);
}

TEST(OneLineVerdict, SaysWhatTheTracebackDidNot) {
    Verdict v = leak();
    v.end = v.root = Statement{"exit-called"_cause, Confidence::certain, {}, {}, {}, {}, {}};
    v.exit = {3, {}};
    EXPECT_EQ(one_line_verdict(v),
              "holdfast: exited with status 3 (HF907 exit-called); details: holdfast why\n");
    v.end.cause = "exception"_cause;
    v.end.where = Where{"train.py", 42, "", ""};
    EXPECT_EQ(one_line_verdict(v),
              "holdfast: ended by an unhandled exception with status 3 at train.py:42 "
              "(HF902 exception); details: holdfast why\n");
    v.end = Statement{"interrupted"_cause, Confidence::certain, {}, {}, {}, {}, {}};
    EXPECT_EQ(one_line_verdict(v),
              "holdfast: interrupted (HF904 interrupted); details: holdfast why\n");
    EXPECT_EQ(one_line_verdict(leak()),
              "holdfast: killed by the kernel at its container's memory limit "
              "(HF101 cgroup-oom); details: holdfast why\n");
}

TEST(OneLineVerdict, IsOneLineWhateverTheVerdict) {
    testing::HostileVerdicts hostile(44);
    for (int i = 0; i < 15; ++i) {
        const std::string line = one_line_verdict(hostile.verdict());
        EXPECT_EQ(testing::broken_rule(line, {200, false, true}), "");
        EXPECT_EQ(line.find('\n'), line.size() - 1);
    }
}

TEST(DeservesFullPanel, OnlyWhatTheUserDoesNotAlreadyKnow) {
    Verdict v = leak();
    EXPECT_TRUE(deserves_full_panel(v));
    for (CauseId plain : {"exception"_cause, "interrupted"_cause, "exit-called"_cause}) {
        v.end.cause = plain;
        EXPECT_TRUE(deserves_full_panel(v)) << plain->slug;  // the leak behind it is worth a panel
        v.root.cause = plain;
        EXPECT_FALSE(deserves_full_panel(v)) << plain->slug;
        v = leak();
    }
    v.root = v.end;
    EXPECT_TRUE(deserves_full_panel(v));
    v.outcome = Outcome::finished;
    EXPECT_FALSE(deserves_full_panel(v));
    v.outcome = Outcome::stuck;
    EXPECT_TRUE(deserves_full_panel(v));
}

}  // namespace
}  // namespace holdfast
