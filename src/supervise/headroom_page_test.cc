#include "supervise/headroom_page.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "base/unique_fd.h"
#include "record/temporary_directory.h"
#include "supervise/guard_duty.h"

namespace holdfast {
namespace {

struct PageFile {
    explicit PageFile(const GuardOptions& options = {}) {
        auto made =
            RunDirectory::create({{HomeCandidate{temporary.path()}}}, "20261115-000000-000-1");
        directory.emplace(std::move(made).value());
        page.emplace(HeadroomPage::create(*directory, options).value());
    }
    format::GuardPage read() const {
        format::GuardPage read{};
        const UniqueFd file(::openat(directory->fd(), run_file::guard, O_RDONLY));
        EXPECT_EQ(::pread(file.get(), &read, sizeof read, 0), static_cast<ssize_t>(sizeof read));
        return read;
    }
    void write(const format::GuardPage& changed) const {
        const UniqueFd file(::openat(directory->fd(), run_file::guard, O_WRONLY));
        EXPECT_EQ(::pwrite(file.get(), &changed, sizeof changed, 0),
                  static_cast<ssize_t>(sizeof changed));
    }

    TemporaryDirectory temporary;
    std::optional<RunDirectory> directory;
    std::optional<HeadroomPage> page;
};

CgroupAddress some_cgroup() {
    return {"4:memory:/job\n", "/sys/fs/cgroup/memory/job", 1, 2, Bytes::mib(100), Bytes::mib(512)};
}

TEST(HeadroomPage, SettingsAndPlacesCarryTheirChecks) {
    PageFile file({format::GuardMode::on, Bytes::mib(3)});
    file.page->publish(Nanos(7), {some_cgroup()}, Bytes::gib(8));
    const format::GuardPage page = file.read();
    EXPECT_EQ(page.settings.check, check_of(page.settings));
    EXPECT_EQ(page.settings.mode, format::GuardMode::on);
    EXPECT_EQ(page.settings.reserve, Bytes::mib(3).count);
    EXPECT_EQ(page.alive, 7);
    const format::GuardPlace& place = page.places[0];
    EXPECT_EQ(place.check, check_of(place));
    EXPECT_EQ(place.key, format::guard_hash("4:memory:/job\n", 14));
    EXPECT_STREQ(place.directory, "/sys/fs/cgroup/memory/job");
    EXPECT_EQ(place.levels, 2U);
}

TEST(HeadroomPage, TheTighterOfCgroupAndMachineIsTold) {
    PageFile file;
    file.page->publish(Nanos(1), {some_cgroup()}, Bytes::mib(40));
    EXPECT_EQ(file.read().places[0].room, Bytes::mib(40).count);
}

TEST(HeadroomPage, WhatAgentsReadIsOnlyEverLowered) {
    PageFile file;
    file.page->publish(Nanos(1), {some_cgroup()}, Bytes::mib(40));
    file.page->publish(Nanos(2), {some_cgroup()}, std::nullopt);
    EXPECT_EQ(file.read().places[0].room, Bytes::mib(40).count);
    file.page->publish(Nanos(3), {some_cgroup()}, Bytes::mib(30));
    EXPECT_EQ(file.read().places[0].room, Bytes::mib(30).count);
}

TEST(HeadroomPage, NothingKnownIsNoRoomSoThatTheKernelIsAsked) {
    PageFile file;
    CgroupAddress unknown = some_cgroup();
    unknown.headroom.reset();
    file.page->publish(Nanos(1), {unknown}, std::nullopt);
    EXPECT_EQ(file.read().places[0].room, 0U);
}

TEST(HeadroomPage, APathTooLongForThePageHasNoPlace) {
    PageFile file;
    CgroupAddress deep = some_cgroup();
    deep.directory = "/" + std::string(600, 'x');
    file.page->publish(Nanos(1), {deep}, std::nullopt);
    EXPECT_EQ(file.read().places[0].key, 0U);
}

TEST(HeadroomPage, TheBrinkIsToldOnceUntilThereIsRoomAgain) {
    PageFile file;
    const auto brink_at = [&](Bytes room) {
        CgroupAddress cgroup = some_cgroup();
        cgroup.headroom = room;
        file.page->publish(Nanos(1), {cgroup}, std::nullopt);
        return file.read().brink;
    };
    EXPECT_EQ(brink_at(Bytes::mib(33)), 0U);
    EXPECT_EQ(brink_at(Bytes::mib(31)), 1U);
    EXPECT_EQ(brink_at(Bytes::mib(3)), 1U);
    EXPECT_EQ(brink_at(Bytes::mib(40)), 1U);
    EXPECT_EQ(brink_at(Bytes::mib(31)), 1U);
    EXPECT_EQ(brink_at(Bytes::mib(80)), 1U);
    EXPECT_EQ(brink_at(Bytes::mib(31)), 2U);
}

TEST(HeadroomPage, TheFirstCrossingIsToldOnce) {
    PageFile file;
    EXPECT_FALSE(file.page->take_first_event());
    format::GuardPage page = file.read();
    page.first.kind = format::GuardEventKind::refused;
    page.first.asked = Bytes::mib(300).count;
    std::strcpy(page.first.place, "train.py:4\033[31m");
    page.first.time = 1;
    file.write(page);
    const auto event = file.page->take_first_event();
    ASSERT_TRUE(event);
    EXPECT_EQ(event->asked, Bytes::mib(300));
    EXPECT_EQ(event->place.find('\033'), std::string::npos);
    EXPECT_FALSE(file.page->take_first_event());
}

TEST(HeadroomPage, AForgedKindIsNotTold) {
    PageFile file;
    format::GuardPage page = file.read();
    page.first.kind = static_cast<format::GuardEventKind>(77);
    page.first.time = 1;
    file.write(page);
    EXPECT_FALSE(file.page->take_first_event());
}

TEST(GuardWords, NameTheSwitchThatRefusesIt) {
    const GuardCrossing plain{
        format::GuardEventKind::refused, 7, Bytes::mib(300), Bytes::mib(20), Bytes::mib(512), ""};
    EXPECT_EQ(words_about(plain, format::GuardMode::warn),
              "guard: would have refused 300 MiB at process 7: 20 MiB of 512 MiB are left; "
              "--guard=on turns this into a MemoryError");
}

TEST(HeadroomPage, OnlyWhoListensAndIsHeardCanBeCalled) {
    PageFile file({format::GuardMode::on, std::nullopt});
    format::GuardPage page = file.read();
    page.listeners[3] = {77, 0};
    page.listeners[5] = {78, static_cast<std::uint32_t>(format::GuardAnswer::nobody_hears)};
    file.write(page);
    EXPECT_TRUE(file.page->listens(77));
    EXPECT_FALSE(file.page->listens(78));
    EXPECT_FALSE(file.page->listens(79));
    EXPECT_FALSE(file.page->listens(0));
    file.page->forget_answers();
    EXPECT_TRUE(file.page->listens(78));
    file.page->forget_listeners([](int pid) { return pid == 78; });
    EXPECT_FALSE(file.page->listens(77));
    EXPECT_TRUE(file.page->listens(78));
}

TEST(GuardWords, TellOfAProgramThatIsStuck) {
    EXPECT_EQ(stuck_words(std::chrono::seconds(11), "train.py:4", std::chrono::seconds(30)),
              "guard: the program has been stuck for 11.0 s since memory was refused at "
              "train.py:4; SIGTERM "
              "follows in 30.0 s (--guard-grace)");
    EXPECT_EQ(stuck_words(std::chrono::seconds(11), "", std::nullopt),
              "guard: the program has been stuck for 11.0 s since memory was refused");
}

}  // namespace
}  // namespace holdfast
