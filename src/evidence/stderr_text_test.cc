#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "evidence/gatherers.h"
#include "evidence/synthetic_record.h"

namespace holdfast {
namespace {

using Kind = OutputCapture::Kind;

RunRecord relayed(std::string text) {
    RunRecord record = synthetic::run();
    record.facts->output.kind = Kind::relay;
    record.output.emplace();
    record.output->taken = text.size();
    record.output->text = std::move(text);
    return record;
}

TEST(StderrText, OfARelayIsMaskedAndPrintable) {
    const auto words = gatherers::stderr_text(
        relayed("key hf_abcdefghijklmnopqrstuvwxyzABCDEFGH\n\x1b[31mred\x1b[0m\n"), {});
    EXPECT_TRUE(words.seen);
    EXPECT_EQ(words.tail.find("hf_abcdef"), std::string::npos) << words.tail;
    EXPECT_NE(words.tail.find("\nred\n"), std::string::npos) << words.tail;
}

TEST(StderrText, EachStateOfAProgressBarIsALine) {
    EXPECT_EQ(gatherers::stderr_text(relayed("10%\r20%\rdone\r\n"), {}).tail, "10%\n20%\ndone\n");
}

TEST(StderrText, OfALongRelayBeginsWithAWholeLineAndIsBounded) {
    std::string text;
    while (text.size() < 3 * gatherers::stderr_limit) text += "0123456789 a line of output\n";
    const auto words = gatherers::stderr_text(relayed(text), {});
    EXPECT_LE(words.tail.size(), gatherers::stderr_limit);
    EXPECT_TRUE(words.tail.starts_with("0123456789"));
    EXPECT_TRUE(words.tail.ends_with("output\n"));
}

TEST(StderrText, ARingThatWentRoundDoesNotBeginWithHalfALine) {
    RunRecord record = relayed("lf a line\nwhole\n");
    record.output->taken = 1'000'000;
    EXPECT_EQ(gatherers::stderr_text(record, {}).tail, "whole\n");
}

TEST(StderrText, OfATerminalIsNotSeenAndSaysSo) {
    RunRecord record = synthetic::run();
    record.facts->output.kind = Kind::terminal;
    const auto words = gatherers::stderr_text(record, {});
    EXPECT_FALSE(words.seen);
    EXPECT_EQ(words.missing, (Missing{MissingKind::stderr_on_terminal, ""}));
}

class StderrFile : public testing::Test {
protected:
    void SetUp() override {
        std::string name = testing::TempDir() + "stderr_text.XXXXXX";
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        directory_ = name;
        path_ = directory_ + "/log";
        std::ofstream(path_) << "of an earlier run\nlast words\n";
        record_ = synthetic::run();
        OutputCapture& output = record_.facts->output;
        output.kind = Kind::file;
        output.path = path_;
        output.from_offset = 18;
        struct stat info {};
        ASSERT_EQ(::stat(path_.c_str(), &info), 0);
        output.device = info.st_dev;
        output.inode = info.st_ino;
        record_.end = synthetic::end(0, 0);
        record_.end->time_wall = wall_now().count();
    }
    void TearDown() override { std::filesystem::remove_all(directory_); }

    std::string directory_, path_;
    RunRecord record_;
    MachineView machine_ = view_of_machine();
};

TEST_F(StderrFile, IsReadFromWhereTheRunBegan) {
    const auto words = gatherers::stderr_text(record_, machine_);
    EXPECT_TRUE(words.seen);
    EXPECT_EQ(words.tail, "last words\n");
}

TEST_F(StderrFile, AnotherFileOfThatNameIsNotRead) {
    std::filesystem::rename(path_, path_ + ".1");
    std::ofstream(path_) << "of an earlier run\nsomebody else's words\n";
    const auto words = gatherers::stderr_text(record_, machine_);
    EXPECT_FALSE(words.seen);
    ASSERT_TRUE(words.missing);
    EXPECT_EQ(words.missing->what, MissingKind::stderr_file_unread);
}

TEST_F(StderrFile, AFileThatIsGoneIsMissing) {
    std::filesystem::remove(path_);
    EXPECT_FALSE(gatherers::stderr_text(record_, machine_).seen);
}

TEST_F(StderrFile, WordsWrittenAfterTheRunAreNotTheRuns) {
    record_.end->time_wall -= 60 * synthetic::second;
    const auto words = gatherers::stderr_text(record_, machine_);
    EXPECT_FALSE(words.seen);
    EXPECT_EQ(words.missing, (Missing{MissingKind::stderr_file_changed, ""}));
}

TEST_F(StderrFile, WithoutAMachineNoFileIsOpened) {
    EXPECT_FALSE(gatherers::stderr_text(record_, {}).seen);
}

}  // namespace
}  // namespace holdfast
