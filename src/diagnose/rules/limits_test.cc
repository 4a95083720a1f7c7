// HF502, HF504 and HF505, and what must not be called any of them.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

TEST(FdLimit, IsCertainWithACountNearTheLimit) {
    Story story;
    story.exits(1).raises("OSError", "[Errno 24] Too many open files: 'x'");
    EXPECT_EQ(root_of(story.verdict()), "fd-limit");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.at(main_pid).limits.open_files = 1024;
    story.at(main_pid).open_files_peak = 1024;
    const Verdict v = story.verdict();
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("1024"), std::string::npos);
}

TEST(FdLimit, WhoseErrorWasSwallowedIsLikelyWhereAllDescriptorsWereInUse) {
    Story story;
    story.exits(1).raises("AttributeError", "'NoneType' object has no attribute 'seek'");
    story.at(main_pid).limits.open_files = 72;
    story.at(main_pid).open_files_peak = 71;
    EXPECT_EQ(root_of(story.verdict()), "exception");
    story.at(main_pid).open_files_peak = 72;
    const Verdict v = story.verdict();
    EXPECT_EQ(root_of(v), "fd-limit");
    EXPECT_EQ(v.root.confidence, Confidence::likely);
}

TEST(FdLimit, ThatWasCaughtEarlierIsNotTheCause) {
    Story story;
    story.says("OSError: [Errno 24] Too many open files\n").exits(1).raises("ValueError", "no");
    EXPECT_EQ(root_of(story.verdict()), "exception");
}

TEST(Limits, AreNotWhatSomebodysOwnErrorSpeaksOf) {
    for (const char* words :
         {"No space left on device was seen", "Too many open files?", "can't start new thread",
          "File too large", "Cannot allocate memory"}) {
        EXPECT_EQ(root_of(Story().exits(1).raises("ValueError", words).verdict()), "exception")
            << words;
    }
    EXPECT_EQ(root_of(Story()
                          .exits(1)
                          .raises("ValueError", "cannot save: [Errno 28] No space left on device")
                          .verdict()),
              "disk-full");
}

TEST(CpuTimeLimit, IsSigxcpuOrAKillAtTheHardLimit) {
    EXPECT_EQ(root_of(Story().dies_by(SIGXCPU).verdict()), "cpu-time-limit");
    Story story;
    story.dies_by(SIGKILL).at(main_pid).limits.cpu_seconds_hard = 60;
    story.at(main_pid).cpu_time = 59800ms;
    EXPECT_EQ(root_of(story.verdict()), "cpu-time-limit");
    story.at(main_pid).cpu_time = 20s;
    EXPECT_EQ(root_of(story.verdict()), "killed");
}

TEST(FileSizeLimit, IsSigxfszOrErrno27WithALimit) {
    EXPECT_EQ(root_of(Story().dies_by(SIGXFSZ).verdict()), "file-size-limit");
    Story story;
    story.exits(1).raises("OSError", "[Errno 27] File too large");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.at(main_pid).limits.file_size = Bytes::mib(10);
    EXPECT_EQ(root_of(story.verdict()), "file-size-limit");
    EXPECT_TRUE(certain(story.verdict()));
}

}  // namespace
}  // namespace holdfast::testing
