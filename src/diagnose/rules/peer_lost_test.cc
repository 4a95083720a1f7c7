// HF707: ranks that lose a peer, and the ends that only look like it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

constexpr auto* closed =
    "[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:561] Connection closed by peer "
    "[127.0.0.1]:907. This is typically caused by a remote worker crashing.";

// Rank 0 (pid 200) lost its peer; rank 1 (pid 201) is for the test to end. Their parent counts who
// failed, and its stderr ends with rank 0's traceback.
Story two_ranks() {
    Story story;
    story.child(200, Role::rank).at(200).rank = 0;
    story.child(201, Role::rank).at(201).rank = 1;
    raised_in(story, 200, "RuntimeError", closed, 8s);
    story.child_exits(200, 1, 9s).exits(1).raises("RuntimeError", closed);
    story.agent().exit = ExitCallEvidence{
        9900ms, ExitCallEvidence::How::sys_exit, 1, {{"train.py", 42, "<module>"}}};
    return story;
}

TEST(PeerLost, NamesTheRankThatLeftAndTheLineThatWaitedForIt) {
    Story story = two_ranks();
    story.child_exits(201, 0, 7900ms);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "peer-lost");
    EXPECT_EQ(end_of(v), "peer-lost");
    EXPECT_EQ(v.process.role, "rank 0");
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->line, 28);
    EXPECT_NE(v.root.summary.find("rank 1 (pid 201) had gone, with exit status 0"),
              std::string::npos)
        << v.root.summary;
    EXPECT_TRUE(contributes(v, "exit-called"));
}

TEST(PeerLost, NamesTheRankThatLeftEvenIfThatWasNoticedLater) {
    Story story = two_ranks();
    story.child_exits(201, 0, 8600ms);
    EXPECT_NE(story.verdict().root.summary.find("rank 1"), std::string::npos);
}

TEST(PeerLost, AccusesNobodyWhoWentLongAfterwards) {
    Story story = two_ranks();
    story.child_exits(201, 0, 9500ms);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "peer-lost");
    EXPECT_EQ(v.root.summary.find("rank 1"), std::string::npos) << v.root.summary;
}

TEST(PeerLost, IsNotTheRootWhereTheOtherRankCrashed) {
    Story story = two_ranks();
    story.child_dies(201, SIGSEGV, 8500ms).crash(SIGSEGV, 1, 201).time = 7900ms;
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "segfault");
    EXPECT_EQ(v.process.role, "rank 1");
    EXPECT_TRUE(contributes(v, "peer-lost"));
}

TEST(PeerLost, IsNotTheRootWhereTheOtherRankRaisedAnException) {
    Story story = two_ranks();
    raised_in(story, 201, "KeyError", "'c'", 7900ms);
    story.child_exits(201, 1, 9100ms);  // noticed after rank 0
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "exception");
    EXPECT_EQ(v.process.role, "rank 1");
    EXPECT_TRUE(contributes(v, "peer-lost"));
}

TEST(PeerLost, IsNotTheRootWhereTheOtherRankCalledExit) {
    Story story = two_ranks();
    story.agent(201).exit =
        ExitCallEvidence{7900ms, ExitCallEvidence::How::os_exit, 3, {{"train.py", 11, "check"}}};
    story.child_exits(201, 3, 8s);
    EXPECT_EQ(root_of(story.verdict()), "exit-called");
    EXPECT_EQ(story.verdict().process.role, "rank 1");
}

TEST(PeerLost, StaysTheRootWhereAnotherRankFailedBecauseOfIt) {
    Story story = two_ranks();
    story.child(202, Role::rank).at(202).rank = 2;
    raised_in(story, 202, "TrainingError", "a rank is missing", 8100ms);
    story.child_exits(202, 1, 8300ms).child_exits(201, 0, 7900ms);
    EXPECT_EQ(root_of(story.verdict()), "peer-lost");
}

TEST(PeerLost, OfARankThatIsWatchedAloneAccusesNobody) {
    Story story;
    const Verdict v = story.exits(1).raises("RuntimeError", closed).verdict();
    EXPECT_EQ(root_of(v), "peer-lost");
    EXPECT_TRUE(certain(v));
}

TEST(PeerLost, IsToldByTheStoreAndLikelyByNccl) {
    Story store;
    store.exits(1).raises("torch.distributed.DistNetworkError",
                          "Failed to recv, got 0 bytes. Connection was likely closed. Did the "
                          "remote server shutdown or crash?");
    EXPECT_EQ(root_of(store.verdict()), "peer-lost");
    Story nccl;
    nccl.exits(1).raises("torch.distributed.DistBackendError",
                         "NCCL error in: ProcessGroupNCCL.cpp:3690, remote process exited or "
                         "there was a network error, NCCL version 2.30.7\nncclRemoteError: A call "
                         "failed possibly due to a network error or a remote process exiting "
                         "prematurely.");
    EXPECT_EQ(root_of(nccl.verdict()), "peer-lost");
    EXPECT_FALSE(certain(nccl.verdict()));
    Story aborted;
    aborted.dies_by(SIGABRT).says(
        "terminate called after throwing an instance of 'c10::DistBackendError'\n"
        "  what():  ncclRemoteError: A call failed possibly due to a network error or a remote "
        "process exiting prematurely.\n");
    EXPECT_EQ(root_of(aborted.verdict()), "peer-lost");
}

TEST(PeerLost, IsNoConnectionOfAnotherKind) {
    Story client;
    client.exits(1).raises("ConnectionResetError", "[Errno 104] Connection reset by peer");
    EXPECT_EQ(root_of(client.verdict()), "exception");
    Story own;
    own.exits(1).raises("RuntimeError", "worker 3: Connection closed by peer");
    EXPECT_EQ(root_of(own.verdict()), "exception");
}

TEST(PeerLost, IsNotToldOfARankThatWasAskedToStop) {
    Story story;
    story.exits(1).raises("RuntimeError", closed).signal_seen(SIGTERM, 8s);
    EXPECT_EQ(root_of(story.verdict()), "killed");
}

}  // namespace
}  // namespace holdfast::testing
