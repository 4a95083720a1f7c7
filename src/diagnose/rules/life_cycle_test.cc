// HF901 to HF909: how runs end when nothing broke, and who ended them.
#include <gtest/gtest.h>

#include "diagnose/death/death.h"
#include "diagnose/evidence_builder.h"
#include "diagnose/rules/rules.h"

namespace holdfast::testing {
namespace {

TEST(CleanExit, IsEndAndRoot) {
    const Verdict v = Story().exits(0).verdict();
    EXPECT_EQ(v.outcome, Outcome::finished);
    EXPECT_EQ(end_of(v), "clean-exit");
    EXPECT_EQ(root_of(v), "clean-exit");
    EXPECT_TRUE(certain(v));
}

TEST(CleanExit, StaysCleanWhateverWasLogged) {
    EXPECT_EQ(root_of(Story().exits(0).raises("RuntimeError", "caught").verdict()), "clean-exit");
}

TEST(CleanExit, SoonAfterARequestToStopIsBecauseOfIt) {
    const Verdict v = Story().exits(0).signal_seen(SIGTERM, 9s).verdict();
    EXPECT_EQ(v.end.cause, "clean-exit"_cause);
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_FALSE(certain(v));
    EXPECT_EQ(v.outcome, Outcome::died);
}

TEST(CleanExit, WithAHelperThatCrashedTellsIt) {
    Story story;
    story.child(201, Role::helper).child_dies(201, SIGSEGV, 4s).exits(0);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "clean-exit");
    EXPECT_TRUE(contributes(v, "segfault"));
}

TEST(Exception, NamesTheInnermostOwnLine) {
    const Verdict v = Story().exits(1).raises("ValueError", "bad").verdict();
    EXPECT_EQ(root_of(v), "exception");
    EXPECT_TRUE(certain(v));
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->file, "train.py");
    EXPECT_EQ(v.root.where->line, 42);
    ASSERT_EQ(v.python_stack.size(), 1U);
}

TEST(Exception, ThatDoesNotEndTheOutputIsNotTheCause) {
    const Verdict v = Story().exits(1).raises("ValueError", "bad", false).says("bye\n").verdict();
    EXPECT_EQ(root_of(v), "exit-called");
}

TEST(ExitCalled, OfAChildIsJudgedByTheChildsOwnException) {
    Story story;
    story.child(201, Role::worker).child_exits(201, 1, 4s);
    AgentEvidence& agent = story.agent(201);
    agent.exit = ExitCallEvidence{3s, ExitCallEvidence::How::sys_exit, 1, {{"work.py", 7, "run"}}};
    ExceptionEvidence thrown;
    thrown.time = 3500ms;
    thrown.in_main_thread = true;
    thrown.type = "ValueError";
    thrown.message = "bad";
    thrown.frames = {{"work.py", 9, "run"}};
    agent.exceptions.push_back(thrown);
    story.exits(0);
    ASSERT_FALSE(story.evidence().traceback) << "the run itself has none";
    const std::optional<Death> death = death_of(story.evidence(), story.at(201));
    ASSERT_TRUE(death);
    EXPECT_FALSE(rules::exit_called(*autopsy_of(*death))) << "the exception came after sys.exit";
    EXPECT_TRUE(rules::exception(*autopsy_of(*death)));
}

TEST(ExitCalled, IsCertainWhenStderrWasSeen) {
    const Verdict v = Story().exits(3).verdict();
    EXPECT_EQ(root_of(v), "exit-called");
    EXPECT_TRUE(certain(v));
}

TEST(Exception, IsLikelyWhenPythonEndsWithOneAndItsWordsWereNotKept) {
    const Verdict v = Story().exits(1).stderr_hidden().verdict();
    EXPECT_EQ(root_of(v), "exception");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(ExitCalled, IsOnlyLikelyWithoutStderr) {
    const Verdict v = Story().exits(3).stderr_hidden().verdict();
    EXPECT_EQ(root_of(v), "exit-called");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    EXPECT_FALSE(v.missing.empty());
}

TEST(ExitCalled, OfAPythonProgramThatChose137IsNoKill) {
    EXPECT_EQ(root_of(Story().exits(137).verdict()), "exit-called");
}

TEST(ExitCalled, OfAContainerClientDoesNotSpeakOfTheCountersHere) {
    Story story;
    story.exits(137).at(main_pid).name = "docker";
    story.at(main_pid).python = false;
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "exit-called");
    ASSERT_EQ(v.root.fixes.size(), 1U);
    EXPECT_NE(v.root.fixes[0].text.find("SIGKILL"), std::string::npos);
}

TEST(Killed, NamesTheSenderOfSigterm) {
    const Verdict v = Story().dies_by(SIGTERM).signal_seen(SIGTERM, 9900ms, 77, "bash").verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("bash (pid 77, uid 1000)"), std::string::npos) << v.root.summary;
}

TEST(Killed, BySigtermWithoutASenderIsLikely) {
    const Verdict v = Story().dies_by(SIGTERM).verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(Killed, HoldsForAProgramThatHandlesSigtermAndFails) {
    const Verdict polite = Story().exits(143).signal_seen(SIGTERM, 9s).verdict();
    EXPECT_EQ(root_of(polite), "killed");
    EXPECT_TRUE(certain(polite));
    const Verdict other = Story().exits(3).signal_seen(SIGTERM, 9s).verdict();
    EXPECT_EQ(end_of(other), "killed");
    EXPECT_EQ(other.root.confidence, Confidence::likely);
}

TEST(Killed, DoesNotBlameASignalLongPast) {
    Story story;
    story.exits(3).signal_seen(SIGTERM, 1s).evidence().end_time = 1000s;
    EXPECT_EQ(root_of(story.verdict()), "exit-called");
}

TEST(Killed, BehindAShellNamesTheProgram) {
    Story story;
    story.behind_shell(137).at(101).exit = ExitStatus{std::nullopt, SIGKILL};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_TRUE(certain(v));
    EXPECT_EQ(v.process.pid, 101);
    EXPECT_EQ(v.process.role, "main");
    EXPECT_EQ(v.exit.code, 137);
}

TEST(Killed, ByAShellsHintAloneIsLikely) {
    const Verdict v = Story().behind_shell(137).verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(Wrapper, ThatShrugsOffTheProgramsDeathFinished) {
    Story story;
    story.behind_shell(0).at(101).exit = ExitStatus{std::nullopt, SIGSEGV};
    const Verdict v = story.verdict();
    EXPECT_EQ(v.outcome, Outcome::finished);
    EXPECT_EQ(root_of(v), "clean-exit");
    EXPECT_TRUE(contributes(v, "segfault"));
}

TEST(Wrapper, PassesOnAnOomKillOfTheProgram) {
    Story story;
    story.behind_shell(137).held(101, Bytes::mib(480)).container_oom();
    story.at(101).exit = ExitStatus{std::nullopt, SIGKILL};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
    EXPECT_TRUE(certain(v));
    story.at(101).exit.reset();
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
}

TEST(Wrapper, CalledTimeoutIsTheSender) {
    Story story;
    story.behind_shell(124).at(main_pid).name = "timeout";
    story.at(main_pid).command = "timeout 10 python train.py";
    story.at(101).exit = ExitStatus{std::nullopt, SIGTERM};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "killed");
    EXPECT_NE(v.root.summary.find("timeout 10"), std::string::npos) << v.root.summary;
}

TEST(Interrupted, BySignalCodeOrKeyboardInterrupt) {
    EXPECT_EQ(root_of(Story().dies_by(SIGINT).verdict()), "interrupted");
    EXPECT_TRUE(certain(Story().dies_by(SIGINT).verdict()));
    EXPECT_EQ(root_of(Story().exits(130).signal_seen(SIGINT, 9s).verdict()), "interrupted");
    EXPECT_EQ(root_of(Story().exits(1).raises("KeyboardInterrupt", "").verdict()), "interrupted");
}

TEST(Hangup, BySighup) {
    const Verdict v = Story().dies_by(SIGHUP).verdict();
    EXPECT_EQ(root_of(v), "hangup");
    EXPECT_TRUE(certain(v));
}

TEST(Preempted, BySlurmsStepDaemonOrAtItsEndTime) {
    Story story;
    story.dies_by(SIGTERM).evidence().scheduler.kind = "slurm";
    EXPECT_EQ(root_of(story.verdict()), "killed");
    story.evidence().scheduler.ends_at = 30s;
    EXPECT_EQ(root_of(story.verdict()), "preempted");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.signal_seen(SIGTERM, 9s, 5, "slurmstepd: [42.batch]");
    EXPECT_TRUE(certain(story.verdict()));
    story.evidence().signals.clear();
    story.signal_seen(SIGTERM, 9s, 5, "'slurmstepd: [42.batch]'");
    EXPECT_TRUE(certain(story.verdict()));
}

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
