// HF501 to HF505.
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

TEST(DiskFull, IsCertainWithTheFilesystemsFigures) {
    const Verdict v = Story()
                          .exits(1)
                          .raises("OSError", "[Errno 28] No space left on device: '/data/m.pt'")
                          .disk("/data", Bytes::gib(10), Bytes{0})
                          .verdict();
    EXPECT_EQ(root_of(v), "disk-full");
    EXPECT_TRUE(certain(v));
    EXPECT_NE(v.root.summary.find("/data"), std::string::npos);
}

TEST(DiskFull, IsOnlyLikelyWhenTheNamedFilesystemHadRoomOrIsUnknown) {
    Story story;
    story.exits(1).raises("OSError", "[Errno 28] No space left on device: '/data/m.pt'");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
    story.disk("/data", Bytes::gib(10), Bytes::gib(5)).disk("/tmp", Bytes::gib(1), Bytes{0});
    EXPECT_EQ(root_of(story.verdict()), "disk-full");
    EXPECT_EQ(story.verdict().root.confidence, Confidence::likely);
}

TEST(DiskFull, IsReadFromTheLastLineOfAnyProgram) {
    const Verdict v = Story()
                          .exits(1)
                          .says("cp: error writing 'b': No space left on device\n")
                          .disk("/data", Bytes::gib(1), Bytes{0})
                          .verdict();
    EXPECT_EQ(root_of(v), "disk-full");
    EXPECT_TRUE(certain(v));
}

TEST(DiskFull, IsNotInotifysLimitNorACaughtError) {
    Story inotify;
    inotify.exits(1).raises("OSError", "[Errno 28] inotify watch limit reached");
    EXPECT_EQ(root_of(inotify.verdict()), "exception");
    Story in_its_folder;
    in_its_folder.exits(1).raises("OSError",
                                  "[Errno 28] No space left on device: '/data/inotify/m.pt'");
    EXPECT_EQ(root_of(in_its_folder.disk("/data", Bytes::gib(1), Bytes{0}).verdict()), "disk-full");
    Story caught;
    caught.exits(0).says("warning: No space left on device\n").disk("/d", Bytes::gib(1), Bytes{0});
    EXPECT_EQ(root_of(caught.verdict()), "clean-exit");
}

TEST(DiskFull, IsLikelyWhereTheWriterDropsTheReason) {
    for (const char* words :
         {"[enforce fail at inline_container.cc:671] . unexpected pos 704 vs 662",
          "basic_ios::clear: iostream error", "65536 requested and 12000 written",
          "database or disk is full"}) {
        Story story;
        story.exits(1).raises("RuntimeError", words);
        EXPECT_EQ(root_of(story.verdict()), "disk-full") << words;
        EXPECT_EQ(story.verdict().root.confidence, Confidence::likely) << words;
        // A limit on file size would be another reason.
        story.at(main_pid).limits.file_size = Bytes::mib(10);
        EXPECT_NE(root_of(story.verdict()), "disk-full") << words;
    }
}

TEST(DiskFull, IsNotWhatTorchsReaderSaysFromTheSameFile) {
    EXPECT_EQ(root_of(Story()
                          .exits(1)
                          .raises("RuntimeError",
                                  "[enforce fail at inline_container.cc:300] . file not found: x")
                          .verdict()),
              "exception");
}

TEST(DiskFull, OfARustWriterIsNoDamagedCheckpoint) {
    Story story;
    story.exits(1).raises("safetensors_rust.SafetensorError",
                          "Error while serializing: I/O error: No space left on device (os error "
                          "28)");
    EXPECT_EQ(root_of(story.verdict()), "disk-full");
    EXPECT_FALSE(contributes(story.verdict(), "checkpoint-corrupt"));
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
