// HF103 and what must not be called it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

TEST(OomVictim, NamesTheNeighbourThatFilledTheLimit) {
    const Verdict v = Story()
                          .held(main_pid, Bytes::mib(60))
                          .neighbour(900, "eater", Bytes::mib(440))
                          .dies_by(SIGKILL)
                          .container_oom()
                          .verdict();
    EXPECT_EQ(root_of(v), "oom-victim");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("eater (pid 900) held 440 MiB"), std::string::npos)
        << v.root.summary;
}

// A kernel between two cells asks for nothing, however much it holds.
Verdict idle_kernel(std::int64_t cell_runs, Nanos cell_noted) {
    Story story;
    story.held(main_pid, Bytes::mib(300)).neighbour(900, "python", Bytes::mib(180));
    story.evidence().neighbours.back().command = "the notebook guard.ipynb";
    AgentEvidence agent;
    agent.pid = main_pid;
    NoteEvidence note;
    note.kind = NoteEvidence::Kind::cell;
    note.time = cell_noted;
    note.b = cell_runs;
    agent.notes.push_back(note);
    KeeperEvidence keeper;  // it had grown, while cells ran
    keeper.name = "kept";
    keeper.kind = "list";
    keeper.live = Bytes::mib(240);
    keeper.grown = Bytes::mib(40);
    agent.keepers.push_back(keeper);
    story.evidence().agents.push_back(agent);
    return story.dies_by(SIGKILL).container_oom().verdict();
}

TEST(OomVictim, AnIdleKernelIsTheVictimOfTheNotebookBesideIt) {
    const Verdict v = idle_kernel(0, 5s);
    EXPECT_EQ(root_of(v), "oom-victim");
    EXPECT_FALSE(certain(v));
    EXPECT_NE(v.root.summary.find("the notebook guard.ipynb (pid 900) held 180 MiB"),
              std::string::npos)
        << v.root.summary;
    for (const Statement* one : {&v.root, &v.end})
        for (const Fix& fix : one->fixes)
            for (const char* wrong : {"still asking", "smaller batch"})
                EXPECT_EQ(fix.text.find(wrong), std::string::npos) << fix.text;
}

TEST(OomVictim, AKernelThatRunsACellOrRanOneJustNowIsNobodysVictim) {
    EXPECT_EQ(root_of(idle_kernel(1, 5s)), "host-leak");
    EXPECT_EQ(root_of(idle_kernel(0, 9500ms)), "host-leak");
}

// It filled the limit between two looks: only the kernel saw it.
TEST(OomVictim, NamesWhomTheKernelListedThoughNoLookSawIt) {
    Story story;
    story.held(main_pid, Bytes::mib(20)).dies_by(SIGKILL).container_oom();
    story.logged_oom(main_pid, "CONSTRAINT_MEMCG");
    story.evidence().kernel_log.back().holders = {{900, "eater", Bytes::mib(400)},
                                                  {main_pid, "python", Bytes::mib(20)}};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "oom-victim");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.end.summary.find("eater (pid 900)"), std::string::npos) << v.end.summary;
}

// A child that took the memory after our last look at it is one of ours all the same.
TEST(OomVictim, IsNotClaimedWhenTheKernelListsAChildOfOurs) {
    Story story;
    story.held(main_pid, Bytes::mib(20)).child(201).held(201, Bytes::mib(10)).dies_by(SIGKILL);
    story.container_oom().logged_oom(main_pid, "CONSTRAINT_MEMCG");
    story.evidence().kernel_log.back().holders = {{201, "python", Bytes::mib(450)},
                                                  {900, "other", Bytes::mib(30)}};
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(OomVictim, IsNotClaimedForANeighbourOutsideTheLimit) {
    const Verdict v = Story()
                          .held(main_pid, Bytes::mib(60))
                          .neighbour(900, "eater", Bytes::gib(30), false)
                          .dies_by(SIGKILL)
                          .container_oom()
                          .verdict();
    EXPECT_EQ(root_of(v), "cgroup-oom");
}

TEST(OomVictim, IsNotClaimedWhenTheOwnTreeFilledTheLimit) {
    Story story;
    story.held(main_pid, Bytes::mib(60)).child(201).held(201, Bytes::mib(430));
    story.neighbour(900, "eater", Bytes::mib(300)).dies_by(SIGKILL).container_oom();
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(OomVictim, OfFilesInSharedMemoryIsLikely) {
    Story story;
    story.held(main_pid, Bytes::mib(60)).dies_by(SIGKILL).container_oom();
    story.evidence().cgroups[0].shmem = Bytes::mib(420);
    // The files are the program's own if they came while it was alone in the container.
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    story.evidence().cgroups[0].levels[0].usage_first = Bytes::mib(430);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "oom-victim");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    EXPECT_EQ(end_of(v), "cgroup-oom");
    EXPECT_EQ(v.end.confidence, Confidence::certain);
}

}  // namespace
}  // namespace holdfast::testing
