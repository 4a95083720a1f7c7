// HF110: the reason behind an end for want of memory, and decoys for it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/rules/rules.h"

namespace holdfast::testing {
namespace {

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

TEST(HostLeak, OfOneContainerThatSeveralLinesFill) {
    Story story = out_of_memory().leaks(main_pid, false);
    LeakEvidence& leak = *story.agent().leak;
    leak.live = leak.growth.in_all = Bytes::mib(60);
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
    KeeperEvidence keeper;
    keeper.name = "Picture.all";
    keeper.kind = "dict";
    keeper.file = "train.py";
    keeper.items = 900;
    keeper.live = Bytes::mib(400);
    keeper.grown = Bytes::mib(50);
    keeper.filled_at = 19;
    story.agent().keepers = {keeper};
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "host-leak");
    EXPECT_EQ(v.root.where->line, 19);
    story.agent().keepers.front().grown = {};
    EXPECT_EQ(root_of(story.verdict()), "cgroup-oom");
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

}  // namespace
}  // namespace holdfast::testing
