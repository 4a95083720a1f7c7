// HF111 and HF115: data too large for memory, and memory that is no data.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

TEST(DatasetInRam, IsOneLineThatHeldMostBeforeTheSteps) {
    Story story = out_of_memory().site(7, Bytes::mib(400), Bytes::mib(400));
    story.agent().steps.count = 30;
    const Verdict v = story.verdict();
    EXPECT_EQ(end_of(v), "cgroup-oom");
    EXPECT_EQ(root_of(v), "dataset-in-ram");
    EXPECT_TRUE(certain(v));
    EXPECT_EQ(v.root.where->file, "data.py");
    EXPECT_EQ(v.root.where->line, 7);
}

TEST(DatasetInRam, WithoutStepsIsLikely) {
    const Verdict v = out_of_memory().site(7, Bytes::mib(400)).verdict();
    EXPECT_EQ(root_of(v), "dataset-in-ram");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(DatasetInRam, IsNotClaimedForWhatIsASmallPartOfTheLimit) {
    Story story;
    story.held(main_pid, Bytes::mib(50)).dies_by(SIGKILL).container_oom();
    story.logged_oom(main_pid, "CONSTRAINT_MEMCG").site(7, Bytes::mib(40));
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(DatasetInRam, OfWhatIsMadeOfATableTheLineThatReadsItIsBlamed) {
    // out_of_memory() holds 500 MiB: neither line has half of it.
    Story story = out_of_memory().site(7, Bytes::mib(190)).site(9, Bytes::mib(220));
    story.agent().sites[0].frames = {{"data.py", 7, "widen"}};
    story.agent().sites[1].frames = {{"data.py", 9, "features"}};
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    story.agent().sites[0].frames = {{"data.py", 7, "<module>"},
                                     {"/v/site-packages/pandas/readers.py", 10, "read_csv"}};
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    EXPECT_EQ(story.verdict().root.where->line, 7);
    EXPECT_FALSE(certain(story.verdict()));
}

TEST(DatasetInRam, PieceByPieceIsToldFromALeakByItsNames) {
    Story story = out_of_memory().site(7, Bytes::mib(400));
    SiteEvidence& site = story.agent().sites[0];
    site.blocks = 800;
    site.frames = {{"data.py", 7, "load_images"}};
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    site.frames = {{"data.py", 7, "forward"}};
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    EXPECT_FALSE(certain(story.verdict()));
    site.rises = 8;
    EXPECT_EQ(root_of(story.verdict()), "host-leak");
    EXPECT_FALSE(certain(story.verdict()));
    site.frames = {{"data.py", 7, "load_images"}};
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
}

TEST(DatasetInRam, IsWhatALibraryCollectsInOneCall) {
    Story story = out_of_memory().site(7, Bytes::mib(400));
    SiteEvidence& site = story.agent().sites[0];
    site.blocks = 800;
    site.rises = 8;
    site.frames = {{"data.py", 7, "forward"}, {"/v/site-packages/tables/reader.py", 10, "chunks"}};
    EXPECT_EQ(root_of(story.verdict()), "host-leak");
    story.agent().place = site.frames;
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    story.agent().steps.count = 40;  // once a step has ended, so have the calls before it
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    site.before_steps = Bytes{};
    EXPECT_EQ(root_of(story.verdict()), "host-leak");
    site.before_steps.reset();
    story.agent().steps.count = 0;
    // The program keeps at this line what a library makes in each round of the program's loop.
    story.agent().keepers = {
        {5s, "history", "list", "data.py", 1931, Bytes::mib(300), Bytes::mib(50), false, false, 7}};
    EXPECT_EQ(root_of(story.verdict()), "host-leak");
    // The line asks for the memory itself, with no library in between.
    story.agent().keepers.clear();
    site.frames = {{"data.py", 7, "forward"}};
    story.agent().place = site.frames;
    EXPECT_EQ(root_of(story.verdict()), "host-leak");
}

TEST(DatasetInRam, StillBeingFilledIsSeenByWhereTheProgramWas) {
    Story story = out_of_memory().site(7, Bytes::gib(2));
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");  // most likely never touched
    story.agent().place = story.agent().sites[0].frames;
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
}

TEST(DatasetInRam, BetweenStepsIsOneCallThatAskedForMoreThanThereIs) {
    Story story = out_of_memory().site(7, Bytes::gib(2), Bytes{});
    story.agent().steps.count = 40;
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    story.agent().place = story.agent().sites[0].frames;
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    // A few small blocks that other code allocated meanwhile do not make it a leak.
    story.site(7, Bytes::mib(20), Bytes{});
    story.agent().sites[1].blocks = 90;
    story.agent().sites[1].rises = 5;
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    story.agent().sites.pop_back();
    story.agent().sites[0].blocks = 90;  // one for each of many things
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(DatasetInRam, OfABlockLargerThanTheLimitThePagesThatWereTouchedAreHeld) {
    Story story = out_of_memory().site(7, Bytes::mib(16), Bytes{});
    story.agent().steps.count = 40;
    story.agent().sites[0].peak = Bytes::gib(2);
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    story.agent().place = story.agent().sites[0].frames;
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    EXPECT_FALSE(certain(story.verdict()));
    story.agent().sites[0].blocks = 90;
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(DatasetInRam, OfTwoCopiesIsTheOneBeingMade) {
    Story story = out_of_memory().site(7, Bytes::mib(260)).site(9, Bytes::mib(250));
    EXPECT_EQ(story.verdict().root.where->line, 7);
    story.agent().place = story.agent().sites[1].frames;
    EXPECT_EQ(story.verdict().root.where->line, 9);
}

TEST(DatasetInRam, IsNotAModelBeingFitted) {
    Story story = out_of_memory().site(7, Bytes::mib(400));
    story.agent().sites[0].frames = {
        {"data.py", 7, "main"},
        {"/v/lib/python3.11/site-packages/sklearn/ensemble/_forest.py", 456, "BaseForest.fit"}};
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(DatasetInRam, IsNoNewsWhereMemoryDidNotRunOut) {
    for (Story story : {Story().exits(0), Story().dies_by(SIGSEGV)})
        EXPECT_FALSE(
            contributes(story.held(main_pid, Bytes::mib(500)).site(7, Bytes::mib(400)).verdict(),
                        "dataset-in-ram"));
}

TEST(DatasetInRam, IsNotWhatAStepMakes) {
    Story story = out_of_memory().site(7, Bytes::mib(400), Bytes::mib(10));
    story.agent().steps.count = 30;
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    Story unknown = out_of_memory().site(7, Bytes::mib(400));
    unknown.agent().steps.count = 30;
    EXPECT_EQ(root_of(unknown.verdict()), "cgroup-oom");
}

TEST(DatasetInRam, IsNotMemoryNeverTouchedNorAGuess) {
    EXPECT_EQ(root_of(out_of_memory().site(7, Bytes::gib(40)).verdict()), "cgroup-oom");
    Story guess = out_of_memory().site(7, Bytes::mib(400));
    guess.agent().sites[0].error = Bytes::mib(150);
    EXPECT_EQ(root_of(guess.verdict()), "cgroup-oom");
}

TEST(DatasetInRam, DoesNotExplainAnExceptionOrACrash) {
    for (Story story : {Story().exits(1).raises("ValueError", "bad"), Story().dies_by(SIGSEGV)})
        EXPECT_NE(root_of(story.held(main_pid, Bytes::mib(500)).site(7, Bytes::mib(400)).verdict()),
                  "dataset-in-ram");
}

TEST(DatasetInRam, OfAReaderWithItsOwnAllocatorIsTheCallDuringWhichMemoryRose) {
    Story story = out_of_memory();
    story.held(main_pid, Bytes::mib(500));
    story.agent().live = Bytes::mib(40);
    story.agent().place = {
        {"data.py", 16, "main"},
        {"/v/lib/python3.11/site-packages/pyarrow/parquet/core.py", 9, "read_table"}};
    story.agent().place_time = 9s;
    story.evidence().memory.curve = {{8s, Bytes::mib(60), {}}, {9900ms, Bytes::mib(500), {}}};
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    EXPECT_EQ(story.verdict().root.where->line, 16);
    story.evidence().memory.curve.front().used = Bytes::mib(400);
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    story.evidence().memory.curve = {{8s, Bytes::gib(3), {}}, {9900ms, Bytes::gib(4), {}}};
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

Story copying_workers() {
    Story story = out_of_memory();
    story.held(main_pid, Bytes::mib(120)).at(main_pid).anon = Bytes::mib(110);
    for (const int pid : {201, 202, 203}) {
        story.child(pid).held(pid, Bytes::mib(120));
        story.at(pid).anon = Bytes::mib(110);
    }
    story.evidence().cgroups[0].anon = Bytes::mib(440);
    return story;
}

TEST(WorkerCopies, AreWorkersAsLargeAsTheirParent) {
    const Verdict v = copying_workers().verdict();
    EXPECT_EQ(end_of(v), "cgroup-oom");
    EXPECT_EQ(root_of(v), "worker-copies");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(WorkerCopies, ComeBeforeTheDataOfTheirParent) {
    Story story = out_of_memory();
    story.held(main_pid, Bytes::mib(170)).site(28, Bytes::mib(160)).at(main_pid).anon =
        Bytes::mib(165);
    story.agent().live = Bytes::mib(162);
    story.evidence().cgroups[0].anon = Bytes::mib(165);
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    for (const int pid : {201, 202}) {
        story.child(pid).held(pid, Bytes::mib(170));
        story.at(pid).anon = Bytes::mib(165);
    }
    story.evidence().cgroups[0].anon = Bytes::mib(495);
    EXPECT_EQ(root_of(story.verdict()), "worker-copies");
}

TEST(WorkerCopies, AreCountedByTheLimitWhereAKillHasMadeRoom) {
    Story story = copying_workers();
    story.evidence().cgroups[0].anon = Bytes::mib(290);
    EXPECT_EQ(root_of(story.verdict()), "worker-copies");
}

TEST(WorkerCopies, AreNotPagesStillShared) {
    Story story = copying_workers();
    story.evidence().cgroups[0].anon = Bytes::mib(130);
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    story.evidence().cgroups[0].anon.reset();
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(WorkerCopies, AreNotWorkersWithDataOfTheirOwn) {
    Story story = copying_workers();
    story.at(main_pid).anon = Bytes::mib(30);
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

// Spawned workers: each loads the data itself, and the parent holds next to nothing.
Story loading_workers() {
    Story story = out_of_memory();
    story.held(main_pid, Bytes::mib(30)).at(main_pid).anon = Bytes::mib(25);
    for (const int pid : {201, 202, 203}) {
        story.child(pid).held(pid, Bytes::mib(140)).site(28, Bytes::mib(125), {}, pid);
        story.at(pid).anon = Bytes::mib(130);
        story.agent(pid).live = Bytes::mib(126);
    }
    return story;
}

TEST(WorkerCopies, AreWorkersThatEachLoadTheDataAtOneLine) {
    const Verdict v = loading_workers().verdict();
    EXPECT_EQ(root_of(v), "worker-copies");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    EXPECT_EQ(v.root.where->line, 28);
}

TEST(WorkerCopies, AreNotWorkersThatHoldDifferentThingsOrLittle) {
    Story different = loading_workers();
    different.agent(202).sites[0].frames[0].line = 29;
    different.agent(203).sites[0].frames[0].line = 30;
    EXPECT_NE(root_of(different.verdict()), "worker-copies");
    Story little = loading_workers();
    for (const int pid : {201, 202, 203}) little.at(pid).anon = Bytes::mib(40);
    EXPECT_NE(root_of(little.verdict()), "worker-copies");
}

}  // namespace
}  // namespace holdfast::testing
