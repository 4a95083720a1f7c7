#include "loader/file_index.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "loader/arena.h"
#include "loader/file_list.h"

namespace holdfast::loader {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t key = 42;

class FileIndexTest : public testing::Test {
protected:
    void SetUp() override {
        char name[] = "/tmp/holdfast-index-XXXXXX";
        ASSERT_NE(::mkdtemp(name), nullptr);
        folder_ = name;
        data_ = folder_ + "/data";
        index_ = folder_ + "/kept";
        for (const std::string one : {"a/1.jpg", "a/2.jpg", "b c/3.jpg"}) {
            fs::create_directories(fs::path(data_ + "/" + one).parent_path());
            std::ofstream(data_ + "/" + one) << "x";
        }
        // As if all of it were old: a young folder is not trusted.
        for (const char* one : {"", "/a", "/b c"}) age(data_ + one);
        ASSERT_TRUE(save());
    }
    void TearDown() override { fs::remove_all(folder_); }

    static void age(const std::string& path) {
        const timespec past[2] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
        ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), past, 0), 0);
    }
    Status save() {
        auto arena = Arena::make(Bytes::mib(1), false);
        if (!arena) return arena.error();
        FileList files(*arena);
        if (auto done = files.add_matching(data_, {"**", "*"}, {".jpg"}, true); !done) return done;
        files.finish();
        return save_index(index_, key, files);
    }
    // The state of the index, and how many files it lists.
    std::pair<IndexState, std::uint64_t> load(std::uint64_t with = key) {
        auto arena = Arena::make(Bytes::mib(1), false);
        FileList files(*arena);
        const auto found = load_index(index_, with, files);
        EXPECT_TRUE(found);
        return {found ? *found : IndexState::absent, files.count()};
    }
    std::string bytes() const {
        std::ifstream file(index_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }
    void write(const std::string& text) const {
        std::ofstream(index_, std::ios::binary | std::ios::trunc) << text;
    }

    std::string folder_;
    std::string data_;
    std::string index_;
};

TEST_F(FileIndexTest, GivesTheListThatWasKept) {
    auto arena = Arena::make(Bytes::mib(1), false);
    FileList files(*arena);
    const auto found = load_index(index_, key, files);
    ASSERT_TRUE(found);
    ASSERT_EQ(*found, IndexState::used);
    ASSERT_EQ(files.count(), 3U);
    EXPECT_EQ(files.path(0), data_ + "/a/1.jpg");
    EXPECT_EQ(files.path(2), data_ + "/b c/3.jpg");
    EXPECT_EQ(files.classes(), (std::vector<std::string>{"a", "b c"}));
    EXPECT_EQ(files.class_of(2), 1U);
}

TEST_F(FileIndexTest, IsNotBelievedAfterAFolderChanged) {
    std::ofstream(data_ + "/a/4.jpg") << "x";
    EXPECT_EQ(load().first, IndexState::stale);
    age(data_ + "/a");  // another file, but the old time: it is not noticed, as documented
    EXPECT_EQ(load().first, IndexState::used);
    fs::remove_all(data_ + "/b c");
    EXPECT_EQ(load().first, IndexState::stale);
}

TEST_F(FileIndexTest, IsNotBelievedForAnotherQuestion) {
    EXPECT_EQ(load(key + 1).first, IndexState::stale);
}

TEST_F(FileIndexTest, NoByteOfItMayDiffer) {
    const std::string whole = bytes();
    for (std::size_t at = 8; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        write(changed);
        ASSERT_NE(load().first, IndexState::used) << "byte " << at;
    }
    for (std::size_t length = 80; length < whole.size(); ++length) {
        write(whole.substr(0, length));
        ASSERT_EQ(load().first, IndexState::stale) << length << " bytes";
    }
    write(whole + "x");
    EXPECT_EQ(load().first, IndexState::stale);
    write(whole);
    EXPECT_EQ(load(), (std::pair{IndexState::used, std::uint64_t{3}}));
}

TEST_F(FileIndexTest, AnotherFileIsNeverTakenForOne) {
    write("not an index, but somebody's own text, which is longer than a head is, by some words");
    auto arena = Arena::make(Bytes::mib(1), false);
    FileList files(*arena);
    const auto found = load_index(index_, key, files);
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().text.find("no index of Holdfast's"), std::string::npos);
}

TEST_F(FileIndexTest, WhatCannotBeWrittenIsTold) {
    auto arena = Arena::make(Bytes::mib(1), false);
    FileList files(*arena);
    ASSERT_TRUE(files.add_path("a/1.jpg"));
    files.finish();
    EXPECT_FALSE(save_index(folder_ + "/nowhere/kept", key, files));
}

}  // namespace
}  // namespace holdfast::loader
