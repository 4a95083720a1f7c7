// HF105 to HF108.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"
#include "diagnose/oom/refusal.h"

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
    EXPECT_TRUE(has_evidence(v.root, "available: 50 GiB"));
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

TEST(RecordedException, OfMemoryNamesTheLineOfTheRefusal) {
    const Verdict v = recorded("numpy._core._exceptions._ArrayMemoryError",
                               "Unable to allocate 900 GiB for an array")
                          .verdict();
    EXPECT_EQ(root_of(v), "alloc-refused");
    EXPECT_TRUE(certain(v));
    EXPECT_EQ(v.root.where->line, 42);
}

}  // namespace
}  // namespace holdfast::testing
