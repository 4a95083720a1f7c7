// HF503 and what must not be called it.
#include <gtest/gtest.h>

#include "diagnose/evidence_builder.h"

namespace holdfast::testing {
namespace {

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

}  // namespace
}  // namespace holdfast::testing
