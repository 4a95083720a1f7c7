// HF105 to HF109, HF112 and HF113.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/refusal.h"

namespace holdfast::testing {
namespace {

TEST(AllocRefused, IsCertainWhenMoreWasAskedForThanThereWas) {
    const Verdict v = Story()
                          .exits(1)
                          .raises("numpy.core._exceptions._ArrayMemoryError",
                                  "Unable to allocate 1.00 TiB for an array with shape (1,)")
                          .verdict();
    EXPECT_EQ(root_of(v), "alloc-refused");
    EXPECT_TRUE(certain(v));
    EXPECT_TRUE(has_evidence(v.root, "asked for: 1 TiB"));
    EXPECT_TRUE(has_evidence(v.root, "could be had: 50 GiB"));
    ASSERT_TRUE(v.root.where);
    EXPECT_EQ(v.root.where->line, 42);
}

TEST(AllocRefused, WithoutASizeIsLikely) {
    const Verdict v = Story().exits(1).raises("MemoryError", "").verdict();
    EXPECT_EQ(root_of(v), "alloc-refused");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(AllocRefused, ReadsBadAllocBeforeAnAbort) {
    const Verdict v = Story()
                          .dies_by(SIGABRT)
                          .says(
                              "terminate called after throwing an instance of 'std::bad_alloc'\n"
                              "  what():  std::bad_alloc\n")
                          .verdict();
    EXPECT_EQ(root_of(v), "alloc-refused");
    EXPECT_EQ(end_of(v), "alloc-refused");
}

TEST(AllocRefused, IsNotClaimedForWordsBeforeAnotherDeath) {
    EXPECT_EQ(root_of(Story().dies_by(SIGSEGV).says("caught std::bad_alloc\n").verdict()),
              "segfault");
    EXPECT_EQ(root_of(Story().exits(0).raises("MemoryError", "").verdict()), "clean-exit");
    EXPECT_EQ(root_of(Story()
                          .exits(1)
                          .raises("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate")
                          .verdict()),
              "cuda-oom");
}

TEST(AllocRefused, ThatWasCaughtIsOnlyTheLikelyRootOfAChosenStatus) {
    const Verdict v = Story().exits(3).raises("MemoryError", "").verdict();
    EXPECT_EQ(end_of(v), "exit-called");
    EXPECT_EQ(root_of(v), "alloc-refused");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(AddressLimit, IsCertainNearTheLimitWithFreeMemory) {
    Story story;
    story.exits(1).raises("MemoryError", "");
    story.at(main_pid).limits.address_space = Bytes::mib(1000);
    story.at(main_pid).virtual_size = Bytes::mib(980);
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "address-limit");
    EXPECT_TRUE(certain(v));

    story.at(main_pid).virtual_size = Bytes::mib(600);
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.at(main_pid).virtual_size = Bytes::mib(100);
    EXPECT_EQ(root_of(story.verdict()), "alloc-refused");
}

TEST(AddressLimit, OfTheHeapIsSeenEvenWhenAllWasGivenBackBeforeTheLastLook) {
    Story story;
    story.exits(1).raises("MemoryError", "");
    story.at(main_pid).limits.data = Bytes::mib(300);
    story.at(main_pid).anon = Bytes::mib(80);
    EXPECT_EQ(root_of(story.verdict()), "alloc-refused");
    story.agent().peak = Bytes::mib(294);
    EXPECT_EQ(root_of(story.verdict()), "address-limit");
}

TEST(AddressLimit, IsSilentWithoutARefusal) {
    Story story;
    story.exits(1).raises("ValueError", "no");
    story.at(main_pid).limits.address_space = Bytes::mib(1000);
    story.at(main_pid).virtual_size = Bytes::mib(990);
    EXPECT_EQ(root_of(story.verdict()), "exception");
}

TEST(OvercommitLimit, NeedsTheStrictModeAndTheFigures) {
    Story story;
    story.exits(1).raises("MemoryError", "");
    story.evidence().host.commit_limit = Bytes::gib(10);
    story.evidence().host.committed = Bytes::mib(10200);
    story.evidence().host.overcommit_mode = 0;
    EXPECT_EQ(root_of(story.verdict()), "alloc-refused");
    story.evidence().host.overcommit_mode = 2;
    EXPECT_EQ(root_of(story.verdict()), "overcommit-limit");
    EXPECT_TRUE(certain(story.verdict()));
}

TEST(MapCount, NeedsACountNearTheLimit) {
    Story story;
    story.exits(1).raises("OSError", "[Errno 12] Cannot allocate memory");
    story.at(main_pid).mappings = 65500;
    EXPECT_EQ(root_of(story.verdict()), "map-count");
    story.at(main_pid).mappings = 500;
    EXPECT_EQ(root_of(story.verdict()), "alloc-refused");
}

TEST(MapCount, IsLikelyFromHalfwayOnWhereNothingElseWasShort) {
    Story story;
    story.exits(1).raises("OSError", "[Errno 12] Cannot allocate memory");
    story.at(main_pid).mappings = 36210;
    EXPECT_EQ(root_of(story.verdict()), "map-count");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.at(main_pid).limits.data = Bytes::gib(1);
    EXPECT_EQ(root_of(story.verdict()), "alloc-refused");
}

TEST(Refusal, ReadsSizesInEveryForm) {
    EXPECT_EQ(size_asked_for("Unable to allocate 2.50 MiB for an array"), Bytes::kib(2560));
    EXPECT_EQ(size_asked_for("you tried to allocate 4096 bytes. Error code 12"), Bytes::kib(4));
    EXPECT_EQ(size_asked_for("Unable to allocate much"), std::nullopt);
    EXPECT_EQ(size_asked_for("Unable to allocate 99999999 PiB"), std::nullopt);
}

TEST(UserspaceOom, IsNamedByTheSender) {
    const Verdict v = Story()
                          .dies_by(SIGTERM)
                          .signal_seen(SIGTERM, 9900ms, 5, "/usr/bin/earlyoom -r 60")
                          .verdict();
    EXPECT_EQ(root_of(v), "userspace-oom");
    EXPECT_TRUE(certain(v));
}

TEST(UserspaceOom, ByAMarkOnTheCgroupIsLikely) {
    Story story;
    story.dies_by(SIGKILL).evidence().cgroups[0].userspace_oom_mark = "1";
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "userspace-oom");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(SwapThrash, ContributesToAnOomAndIsTheRootWhenSomebodyGaveUp) {
    Story story;
    story.evidence().pressure.memory_full = 71;
    story.evidence().pressure.swap_in_pages_per_second = 9000;
    story.evidence().processes[0].major_faults = 4000;
    story.evidence().processes[0].swap = Bytes::mib(500);
    EXPECT_TRUE(contributes(story.exits(0).verdict(), "swap-thrash"));
    EXPECT_EQ(root_of(story.verdict()), "clean-exit");

    const Verdict killed = story.dies_by(SIGKILL).verdict();
    EXPECT_EQ(end_of(killed), "killed");
    EXPECT_EQ(root_of(killed), "swap-thrash");
    EXPECT_EQ(killed.root.confidence, Confidence::likely);

    EXPECT_EQ(root_of(story.container_oom().verdict()), "cgroup-oom");
}

TEST(SwapThrash, NeedsPagesThatCameBack) {
    Story story;
    story.exits(0).evidence().pressure.memory_full = 71;
    EXPECT_FALSE(contributes(story.verdict(), "swap-thrash"));
}

TEST(SwapThrash, OfANeighbourIsNotOurs) {
    Story story;
    PressureEvidence& pressure = story.exits(0).evidence().pressure;
    pressure.memory_full = 72;
    pressure.major_faults_per_second = 2700;
    pressure.window = 30s;
    story.evidence().processes[0].major_faults = 300;
    EXPECT_FALSE(contributes(story.verdict(), "swap-thrash"));
    story.evidence().processes[0].major_faults = 30'000;
    EXPECT_FALSE(contributes(story.verdict(), "swap-thrash"));  // nothing was short where it is
    story.evidence().processes[0].swap = Bytes::mib(500);
    EXPECT_TRUE(contributes(story.verdict(), "swap-thrash"));
}

Story bus_error_in_worker() {
    Story story;
    story.child(201).child_dies(201, SIGBUS, 9s).exits(1);
    story.says(
        "ERROR: Unexpected bus error encountered in worker. This might be caused by "
        "insufficient shared memory (shm).\n");
    story.raises("RuntimeError", "DataLoader worker (pid 201) is killed by signal: Bus error.");
    return story;
}

TEST(ShmFull, IsCertainWithTheWordsAndAFullFilesystem) {
    const Verdict v =
        bus_error_in_worker().disk("/dev/shm", Bytes::mib(64), Bytes{0}, "/dev/shm").verdict();
    EXPECT_EQ(root_of(v), "shm-full");
    EXPECT_TRUE(certain(v));
    EXPECT_EQ(v.process.pid, 201);
    EXPECT_NE(v.root.summary.find("64 MiB"), std::string::npos);
}

TEST(ShmFull, IsNotClaimedWhenThereWasRoom) {
    const Verdict v =
        bus_error_in_worker().disk("/dev/shm", Bytes::gib(8), Bytes::gib(7), "/dev/shm").verdict();
    EXPECT_EQ(root_of(v), "mapped-file-gone");
    EXPECT_EQ(v.root.confidence, Confidence::unknown);
}

TEST(ShmFull, IsAFileThereWhereNothingElseWasFull) {
    Story story;
    story.exits(1).raises("OSError", "[Errno 28] No space left on device");
    story.disk("/dev/shm", Bytes::mib(64), Bytes{0}, "/dev/shm");
    EXPECT_EQ(root_of(story.verdict()), "shm-full");
    story.disk("/data", Bytes::gib(10), Bytes{0});
    EXPECT_EQ(root_of(story.verdict()), "disk-full");
}

TEST(ShmFull, WithoutFiguresIsLikely) {
    const Verdict v = bus_error_in_worker().verdict();
    EXPECT_EQ(root_of(v), "shm-full");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(ShmFull, ReadsAFullSharedMemoryFile) {
    const Verdict v = Story()
                          .exits(1)
                          .raises("OSError", "[Errno 28] No space left on device: '/dev/shm/x'")
                          .disk("/dev/shm", Bytes::mib(64), Bytes{0}, "/dev/shm")
                          .verdict();
    EXPECT_EQ(root_of(v), "shm-full");
    EXPECT_TRUE(certain(v));
}

}  // namespace
}  // namespace holdfast::testing
