// HF113 and its look-alikes.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

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

TEST(ShmFull, IsWhatTorchCouldNotAllocateWhateverErrnoItQuotes) {
    Story story;
    story.exits(1).raises("RuntimeError",
                          "unable to allocate shared memory(shm) for file </torch_7_1_4>: Resource "
                          "temporarily unavailable (11)");
    // What was too large to be allocated leaves it empty.
    story.disk("/dev/shm", Bytes::mib(16), Bytes::mib(16), "/dev/shm");
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "shm-full");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

}  // namespace
}  // namespace holdfast::testing
