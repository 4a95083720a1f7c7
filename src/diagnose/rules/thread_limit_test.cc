// HF501 and what must not be called it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

Story no_thread() {
    return std::move(Story().exits(1).raises("RuntimeError", "can't start new thread"));
}

TEST(ThreadLimit, IsCertainWhenTheCgroupRefused) {
    Story story = no_thread();
    story.own().pids_limit = 50;
    story.own().pids_usage = 12;
    story.own().pids_refused_first = 0;
    story.own().pids_refused_last = 4;
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "thread-limit");
    EXPECT_TRUE(certain(v));
    EXPECT_TRUE(has_evidence(v.root, "pids.events: max 0 -> 4"));
}

TEST(ThreadLimit, IsCertainWhenTheUsersThreadsReachTheLimit) {
    Story story = no_thread();
    story.at(main_pid).limits.processes = 100;
    story.at(main_pid).threads_peak = 97;
    EXPECT_TRUE(certain(story.verdict()));
    story.at(main_pid).threads_peak = 7;
    EXPECT_EQ(root_of(story.verdict()), "thread-limit");
    EXPECT_FALSE(certain(story.verdict()));
}

TEST(ThreadLimit, ByItsWordsAloneIsLikely) {
    const Verdict v = no_thread().verdict();
    EXPECT_EQ(root_of(v), "thread-limit");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(ThreadLimit, GivesWayToAnAddressLimitThatIsFull) {
    Story story = no_thread();
    story.at(main_pid).limits.address_space = Bytes::gib(1);
    story.at(main_pid).virtual_size = Bytes::mib(1020);
    EXPECT_EQ(root_of(story.verdict()), "address-limit");
}

TEST(ThreadLimit, IsNotANonBlockingRead) {
    EXPECT_EQ(root_of(Story()
                          .exits(1)
                          .raises("BlockingIOError", "[Errno 11] Resource temporarily unavailable")
                          .verdict()),
              "exception");
}

// "spawn" in the path of the user's own file starts nothing.
TEST(ThreadLimit, GoesByTheCodeThatStartsAProcessNotByAWordInAPath) {
    const auto read_in = [](std::string file, std::string function) {
        Story story;
        story.exits(1).raises("BlockingIOError", "[Errno 11] Resource temporarily unavailable");
        story.evidence().traceback->frames.push_back({std::move(file), 1900, std::move(function)});
        return root_of(story.verdict());
    };
    EXPECT_EQ(read_in("/home/ann/respawn/train.py", "read_forks"), "exception");
    EXPECT_EQ(read_in("/usr/lib/python3.11/subprocess.py", "_execute_child"), "thread-limit");
}

TEST(ThreadLimit, IsNotSharedMemoryThatTorchCouldNotWrite) {
    const Verdict v =
        Story()
            .exits(1)
            .raises("RuntimeError",
                    "unable to write to file </torch_9_1>: Resource temporarily unavailable (11)")
            .verdict();
    EXPECT_EQ(root_of(v), "shm-full");
    EXPECT_FALSE(certain(v));
}

}  // namespace
}  // namespace holdfast::testing
