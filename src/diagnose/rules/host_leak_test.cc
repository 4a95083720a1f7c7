// HF110, HF111, HF115 and HF203: the reasons behind an end for want of memory, and decoys for them.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/rules.h"

namespace holdfast::testing {
namespace {

Story out_of_memory() {
    return std::move(Story().dies_by(SIGKILL).held(main_pid, Bytes::mib(500)).container_oom());
}

TEST(HostLeak, IsTheRootOfAnOomKillAndNamesTheLine) {
    const Verdict v = out_of_memory().leaks().verdict();
    EXPECT_EQ(end_of(v), "cgroup-oom");
    EXPECT_EQ(root_of(v), "host-leak");
    EXPECT_TRUE(certain(v));
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->file, "train.py");
    EXPECT_EQ(v.root.where->line, 42);
    EXPECT_NE(v.root.summary.find("3 MiB a step"), std::string::npos) << v.root.summary;
    EXPECT_TRUE(has_evidence(v.root, "(± 102 KiB) a step over 150 steps"))
        << v.root.evidence[0].text;
    EXPECT_EQ(v.end.confidence, Confidence::certain);
}

TEST(HostLeak, WithoutStepsIsLikely) {
    const Verdict v = out_of_memory().leaks(main_pid, false).verdict();
    EXPECT_EQ(root_of(v), "host-leak");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    EXPECT_NE(v.root.summary.find("a minute"), std::string::npos) << v.root.summary;
}

TEST(HostLeak, IsLikelyWhereTheLineIsBorrowedOrOneOfMany) {
    Story borrowed = out_of_memory().leaks();
    borrowed.agent().leak->borrowed = true;
    EXPECT_EQ(borrowed.verdict().root.confidence, Confidence::likely);
    Story many = out_of_memory().leaks();
    many.agent().leak->several_lines = true;
    EXPECT_EQ(many.verdict().root.confidence, Confidence::likely);
}

TEST(HostLeak, IsNotTheRootWhereTheRequestWasTooLargeWithoutIt) {
    const Verdict v =
        Story().exits(1).raises("MemoryError", "Unable to allocate 900 GiB").leaks().verdict();
    EXPECT_EQ(root_of(v), "alloc-refused");
}

TEST(HostLeak, IsTheRootOfARefusedAllocation) {
    const Verdict v =
        Story().exits(1).raises("MemoryError", "Unable to allocate 900 MiB").leaks().verdict();
    EXPECT_EQ(end_of(v), "alloc-refused");
    EXPECT_EQ(root_of(v), "host-leak");
}

TEST(HostLeak, OfAWorkerExplainsTheLimitItShares) {
    Story story = out_of_memory();
    story.child(201).held(201, Bytes::mib(470)).leaks(201);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "host-leak");
    const std::optional<Finding> leak =
        rules::host_leak(*autopsy_of(deciding_death(story.evidence())));
    ASSERT_TRUE(leak);
    EXPECT_EQ(leak->pid, 201);
}

TEST(HostLeak, OfAProcessLongGoneExplainsNothing) {
    Story story = out_of_memory();
    story.child(201).held(201, Bytes::mib(470)).leaks(201).child_exits(201, 0, 2s);
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(HostLeak, ThatIsLittleOfTheMemoryIsNotTheRoot) {
    Story story = out_of_memory().leaks();
    story.agent().leak->growth.in_all = story.agent().leak->live = Bytes::mib(70);
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
}

TEST(HostLeak, ThatGrewLittleIsLikelyWhereItHoldsMuch) {
    Story story = out_of_memory().leaks();
    story.agent().leak->growth.in_all = Bytes::mib(60);
    story.agent().leak->live = Bytes::mib(200);
    EXPECT_EQ(root_of(story.verdict()), "host-leak");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
}

TEST(HostLeak, OfARunThatFinishedOnlyContributes) {
    Story story = std::move(Story().exits(0).held(main_pid, Bytes::mib(500)).leaks());
    story.evidence().memory.limit = Bytes::mib(512);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "clean-exit");
    EXPECT_EQ(v.outcome, Outcome::finished);
    EXPECT_TRUE(contributes(v, "host-leak"));
    // With plenty of room left, the verdict does not mention it.
    story.evidence().memory.limit = Bytes::gib(64);
    EXPECT_FALSE(contributes(story.verdict(), "host-leak"));
}

TEST(HostLeak, DoesNotExplainAnExceptionACrashOrAKillByHand) {
    for (Story story : {Story().exits(1).raises("ValueError", "bad"), Story().dies_by(SIGSEGV),
                        Story().dies_by(SIGKILL)}) {
        const Verdict v = story.held(main_pid, Bytes::mib(500)).leaks().verdict();
        EXPECT_NE(root_of(v), "host-leak") << end_of(v);
        EXPECT_TRUE(contributes(v, "host-leak")) << end_of(v);
    }
}

TEST(HostLeak, IsToldOfARunStillGoing) {
    Story story;
    story.held(main_pid, Bytes::mib(500)).leaks();
    story.evidence().ended = false;
    story.evidence().command_alive = true;
    const Verdict v = story.verdict();
    EXPECT_EQ(v.outcome, Outcome::running);
    EXPECT_TRUE(contributes(v, "host-leak"));
}

TEST(HostLeak, IsNotSeenInMemoryThatOnlyRose) {
    // Warm-up, a plateau, fragmentation: sites without growth, and no leak among the evidence.
    EXPECT_EQ(root_of(out_of_memory().site(3, Bytes::mib(100)).verdict()), "cgroup-oom");
}

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

TEST(HostLeak, NamesItsKeeper) {
    Story story = out_of_memory().site(7, Bytes::mib(400));
    SiteEvidence& site = story.agent().sites[0];
    site.blocks = 800;
    site.rises = 8;
    site.frames = {{"train.py", 7, "forward"}};
    story.agent().keepers = {{5s, "self.history", "list", "train.py", 1931, Bytes::mib(300),
                              Bytes::mib(50), false, false, 28}};
    const Verdict v = story.verdict();
    ASSERT_TRUE(v.root.keeper);
    EXPECT_EQ(v.root.keeper->name, "self.history");
    EXPECT_EQ(v.root.keeper->where->line, 28);
    EXPECT_NE(v.root.summary.find("`self.history` (list, 1931 items)"), std::string::npos);
    // One that holds next to nothing of it is not named.
    story.agent().keepers[0].live = Bytes::mib(20);
    EXPECT_FALSE(story.verdict().root.keeper);
}

TEST(HostLeak, IsWhatSmallViewsOfLoadedArraysKeep) {
    Story story = out_of_memory().site(7, Bytes::mib(400));
    SiteEvidence& site = story.agent().sites[0];
    site.blocks = 800;
    site.rises = 8;
    site.frames = {{"train.py", 28, "patches"}, {"train.py", 7, "read_image"}};
    story.agent().keepers = {
        {5s, "kept", "list", "train.py", 1931, Bytes::mib(300), Bytes::mib(50), false, false, 28}};
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
    story.agent().keepers[0].views = true;
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "host-leak");
    EXPECT_FALSE(certain(v));
    EXPECT_EQ(v.root.where->line, 28);
    EXPECT_NE(v.root.summary.find("views of larger arrays"), std::string::npos) << v.root.summary;
    ASSERT_FALSE(v.root.fixes.empty());
    EXPECT_NE(v.root.fixes[0].code.find(".copy()"), std::string::npos);
    // A few views beside the data that was loaded.
    story.agent().keepers[0].live = Bytes::mib(20);
    EXPECT_EQ(root_of(story.verdict()), "dataset-in-ram");
}

TEST(HostLeak, OfCyclesSaysThatNoNameReachesThem) {
    Story story = out_of_memory().leaks(main_pid, false);
    story.agent().notes.push_back({NoteEvidence::Kind::collector_off, 5s, 9000, 0, ""});
    const Verdict v = story.verdict();
    EXPECT_NE(v.root.summary.find("no name that reaches it"), std::string::npos) << v.root.summary;
    EXPECT_TRUE(has_evidence(v.root, "off; 9000 objects more were made"));
    // A name does reach it.
    story.agent().keepers = {{5s, "history", "list", "train.py", 900, Bytes::mib(300),
                              Bytes::mib(50), false, false, 28}};
    EXPECT_EQ(story.verdict().root.summary.find("no name"), std::string::npos);
}

Story manager_killed() {
    Story story;
    story.child(201).held(201, Bytes::mib(420)).child_dies(201, SIGKILL, 9500ms);
    story.exits(1).container_oom(9500ms).raises("BrokenPipeError", "[Errno 32] Broken pipe");
    story.leaks(201, false);
    story.agent(201).leak->frames = {
        {"/usr/lib/python3.11/threading.py", 1002, "Thread._bootstrap"},
        {"/usr/lib/python3.11/multiprocessing/managers.py", 253, "Server.serve_client"},
        {"/usr/lib/python3.11/multiprocessing/connection.py", 251, "_ConnectionBase.recv"}};
    return story;
}

TEST(HostLeak, OfAManagersProcessIsAtTheLineThatCalledIt) {
    Story story = manager_killed();
    const Verdict v = story.verdict();
    EXPECT_EQ(end_of(v), "worker-oom");
    EXPECT_EQ(root_of(v), "host-leak");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->line, 42);
    EXPECT_NE(v.root.summary.find("manager's process keeps"), std::string::npos) << v.root.summary;
}

TEST(HostLeak, OfAHelperThatIsNoManagerSaysThatNoOwnCodeRunsThere) {
    Story story = manager_killed();
    story.agent(201).leak->frames.erase(story.agent(201).leak->frames.begin() + 1);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "host-leak");
    EXPECT_EQ(v.root.summary.find("manager"), std::string::npos);
    EXPECT_NE(v.root.summary.find("no line of yours"), std::string::npos) << v.root.summary;
}

TEST(HostLeak, OfSeveralLinesIsAtTheLineThatKeeps) {
    Story story = out_of_memory().leaks();
    story.agent().keepers = {{5s, "history", "list", "train.py", 900, Bytes::mib(300),
                              Bytes::mib(50), false, false, 28}};
    EXPECT_EQ(story.verdict().root.where->line, 42);
    story.agent().leak->several_lines = true;
    EXPECT_EQ(story.verdict().root.where->line, 28);
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

TEST(HostLeak, IsABlockThatALineReplacesByALargerOne) {
    Story story = out_of_memory().site(7, Bytes::mib(330), Bytes{});
    SiteEvidence& bank = story.agent().sites[0];
    story.agent().steps.count = 62;
    bank.frames = {{"train.py", 7, "MemoryBank.push"}};
    bank.blocks = 2;
    bank.rises = 9;
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    bank.growth = GrowthSeen{};  // growth over time alone: it may be loading
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    bank.growth->per_step = 1 << 20;
    EXPECT_EQ(root_of(story.verdict()), "host-leak");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    bank.rises = 2;  // warming up
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

GrowthSeen gpu_growth() {
    return GrowthSeen{Bytes::gib(20), 200, 100.0 * 1048576, 1048576.0, 6e9, 16};
}

TEST(GpuLeak, ExplainsAGpuThatRanOut) {
    Story story = std::move(
        Story().exits(1).raises("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate"));
    story.agent().steps.gpu_growth = gpu_growth();
    story.agent().steps.count = 200;
    EXPECT_EQ(root_of(story.verdict()), "gpu-leak");
    EXPECT_EQ(end_of(story.verdict()), "cuda-oom");
}

NoteEvidence kept_note(std::int64_t count, std::int64_t graphs, const std::string& text) {
    NoteEvidence note;
    note.kind = NoteEvidence::Kind::kept_tensors;
    note.a = count;
    note.b = graphs;
    note.text = text;
    return note;
}

TEST(GpuLeak, NamesWhoKeepsTheTensors) {
    Story story = std::move(
        Story().exits(1).raises("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate"));
    story.agent().steps.gpu_growth = gpu_growth();
    story.agent().steps.count = 200;
    story.agent().notes.push_back(kept_note(200, 200, "losses\n/home/u/train.py\n16"));
    const Verdict verdict = story.verdict();
    EXPECT_EQ(root_of(verdict), "gpu-leak");
    ASSERT_TRUE(verdict.root.where);
    EXPECT_EQ(verdict.root.where->line, 16);
    EXPECT_NE(verdict.root.summary.find("`losses`"), std::string::npos);
}

TEST(GpuLeak, DoesNotBlameAContainerWithoutAGraphForEachStep) {
    // Notes that must not count: too few tensors, batches put there in advance, and nonsense.
    for (const NoteEvidence& note : {kept_note(40, 40, "few\n/home/u/train.py\n16"),
                                     kept_note(5000, 0, "batches\n/home/u/train.py\n16"),
                                     kept_note(200, 200, "broken"), kept_note(200, 200, "")}) {
        Story story = std::move(Story().exits(1).raises("torch.OutOfMemoryError",
                                                        "CUDA out of memory. Tried to allocate"));
        story.agent().steps.gpu_growth = gpu_growth();
        story.agent().steps.count = 200;
        story.agent().notes.push_back(note);
        const Verdict verdict = story.verdict();
        EXPECT_EQ(root_of(verdict), "gpu-leak");
        EXPECT_FALSE(certain(verdict));
        EXPECT_EQ(verdict.root.summary.find("keeps"), std::string::npos);
    }
}

TEST(GpuLeak, DoesNotExplainAnotherException) {
    Story story = std::move(Story().exits(1).raises("ValueError", "bad"));
    story.agent().steps.gpu_growth = gpu_growth();
    EXPECT_EQ(root_of(story.verdict()), "exception");
    EXPECT_TRUE(contributes(story.verdict(), "gpu-leak"));
}

}  // namespace
}  // namespace holdfast::testing
