// How the guard reads kernel files and memory, on made-up cgroups and real pages.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "agent/box/slot.h"
#include "agent/guard/foresight.h"
#include "agent/guard/headroom.h"
#include "agent/guard/kept_back.h"
#include "agent/guard/raise_place.h"
#include "agent/guard/recipient.h"
#include "agent/guard/refusal.h"
#include "agent/guard/survivors.h"
#include "agent/guard/unseen_growth.h"
#include "agent/guard/victim.h"
#include "agent/process/own_process.h"
#include "agent/python/library.h"

namespace holdfast::agent {

// No interpreter is in this program.
int own_thread_id() { return 0; }
const PythonLibrary* python_library() { return nullptr; }
bool python_running() { return false; }
bool holds_interpreter_lock(const PythonLibrary&) { return false; }
format::AgentSlot* take_slot() { return nullptr; }
std::size_t own_frames(RawFrame*, std::size_t) { return 0; }
std::size_t main_frames(RawFrame*, std::size_t) { return 0; }
std::size_t frames_of(const OtherThread&, RawFrame*, std::size_t) { return 0; }
bool main_thread_can_be_told() { return false; }
std::uint16_t frame_number(const RawFrame&) { return format::no_frame; }
Text frame_file(const format::AgentSlot&, const format::AgentFrame&) { return {}; }
Text text_at(const format::AgentSlot&, format::TextRef) { return {}; }

namespace {

constexpr std::uint64_t mib = 1U << 20U;

TEST(Figures, ANumberMustStandAtTheBeginning) {
    EXPECT_EQ(leading_number("4096\n"), 4096U);
    EXPECT_EQ(leading_number("max\n"), no_figure);
    EXPECT_EQ(leading_number(""), no_figure);
    EXPECT_EQ(leading_number("99999999999999999999999"), no_figure);
}

TEST(Figures, ANameIsAWholeWordAtTheBeginningOfALine) {
    constexpr Text text = "inactive_file 7\ntotal_inactive_file 9\nx active_file 3\n";
    EXPECT_EQ(figure_named(text, "inactive_file"), 7U);
    EXPECT_EQ(figure_named(text, "total_inactive_file"), 9U);
    EXPECT_EQ(figure_named(text, "active_file"), no_figure);
    EXPECT_EQ(figure_named(text, "inactive"), no_figure);
    EXPECT_EQ(figure_named("MemAvailable:   12 kB", "MemAvailable:"), 12U);
}

TEST(Figures, NoLimitIsNotALimitThatMakesNoSense) {
    std::uint64_t limit = 0;
    EXPECT_TRUE(limit_in("max\n", limit));
    EXPECT_EQ(limit, no_figure);
    EXPECT_TRUE(limit_in("9223372036854771712\n", limit));
    EXPECT_EQ(limit, no_figure);
    EXPECT_FALSE(limit_in("", limit));
}

Headroom below(std::uint64_t limit, std::uint64_t files) {
    Headroom headroom;
    headroom.limit = limit;
    headroom.files = files;
    return headroom;
}

TEST(KeptBack, LargeBlocksLeaveFewerFilePagesThanSmallOnes) {
    for (const std::uint64_t limit : {192 * mib, 256 * mib, 1024 * mib}) {
        const Headroom headroom = below(limit, 64 * mib);
        const std::uint64_t reserve = reserve_for({}, limit);
        const std::uint64_t large = reserve + last_files_from_large(headroom, reserve);
        EXPECT_LE(large, limit / 80) << "who comes to 98.5 % by large blocks must get there";
        EXPECT_GT(reserve + last_files(headroom, reserve), large);
    }
    // Seen: killed with 5.1 MiB of them left below 512 MiB.
    const Headroom headroom = below(512 * mib, 64 * mib);
    EXPECT_GT(last_files(headroom, reserve_for({}, 512 * mib)), 6 * mib);
}

TEST(KeptBack, MappedCodeIsKeptWithinTwoPercentAndEightMegabytes) {
    for (const std::uint64_t limit : {64 * mib, 512 * mib, 4096 * mib, 65536 * mib}) {
        Headroom headroom = below(limit, limit / 2);
        const std::uint64_t reserve = reserve_for({}, limit);
        const std::uint64_t without = last_files(headroom, reserve);
        headroom.code = limit / 2;
        EXPECT_GT(last_files(headroom, reserve), without);
        EXPECT_LE(reserve + last_files(headroom, reserve), limit / 50 + 8 * mib);
        EXPECT_LE(reserve + last_files_from_large(headroom, reserve), limit / 50 + 8 * mib);
    }
}

TEST(KeptBack, WordsTakeASmallPartOfALimitAndLessOfALargeOne) {
    for (const std::uint64_t limit : {256 * mib, 1024 * mib, 16384 * mib}) {
        EXPECT_GE(for_words(below(limit, 0)), 8 * mib);
        EXPECT_LE(for_words(below(limit, limit / 2)), limit / 16);
        EXPECT_LE(for_words(below(limit, limit / 2)), 48 * mib);
    }
}

TEST(KeptBack, WithoutFilePagesNothingIsKeptForThem) {
    EXPECT_EQ(last_files(below(256 * mib, 0), mib), 0U);
    EXPECT_EQ(last_files_from_large(below(256 * mib, 0), mib), 0U);
}

class MadeUpCgroup : public ::testing::Test {
protected:
    MadeUpCgroup() {
        std::string pattern = ::testing::TempDir() + "holdfast-XXXXXX";
        root_ = ::mkdtemp(pattern.data());
        std::filesystem::create_directories(root_ + "/job/own");
    }
    ~MadeUpCgroup() override { std::filesystem::remove_all(root_); }

    void v1(const std::string& level, std::uint64_t limit, std::uint64_t usage,
            std::uint64_t file = 0, std::uint64_t dirty = 0, std::uint64_t mapped = 0) {
        write(level, "memory.limit_in_bytes", std::to_string(limit));
        write(level, "memory.usage_in_bytes", std::to_string(usage));
        write(level, "memory.swappiness", "0");
        write(level, "memory.stat",
              "cache 999999999\ntotal_inactive_file " + std::to_string(file) +
                  "\ntotal_active_file 0\ntotal_dirty " + std::to_string(dirty) +
                  "\ntotal_writeback 0\ntotal_mapped_file " + std::to_string(mapped) + "\n");
    }
    void v2(const std::string& level, const std::string& limit, std::uint64_t usage) {
        write(level, "memory.max", limit);
        write(level, "memory.current", std::to_string(usage));
        write(level, "memory.swap.max", "0");
        write(level, "memory.swap.current", "0");
        write(level, "memory.stat", "active_file 0\ninactive_file 0\nfile_dirty 0\n");
    }
    void write(const std::string& level, const std::string& name, const std::string& text) const {
        std::ofstream(root_ + "/" + level + "/" + name) << text << "\n";
    }
    Headroom read(std::uint32_t version, std::uint32_t levels = 2) const {
        format::GuardPlace place{};
        place.version = version;
        place.levels = levels;
        std::strcpy(place.directory, (root_ + "/job/own").c_str());
        return read_headroom(place);
    }

    std::string root_;
};

TEST_F(MadeUpCgroup, TheTightestLevelCounts) {
    v1("job/own", 512 * mib, 100 * mib);
    v1("job", 256 * mib, 200 * mib);
    const Headroom headroom = read(1);
    ASSERT_TRUE(headroom.known);
    EXPECT_EQ(headroom.most, 56 * mib);
    EXPECT_EQ(headroom.limit, 256 * mib);
    EXPECT_EQ(headroom.smallest, 256 * mib);
}

TEST_F(MadeUpCgroup, FilePagesAreRoomAndThoseNotWrittenOnlyBeforeARefusal) {
    v1("job/own", 512 * mib, 500 * mib, 100 * mib, 30 * mib);
    const Headroom headroom = read(1, 1);
    ASSERT_TRUE(headroom.known);
    EXPECT_EQ(headroom.room, 82 * mib);
    EXPECT_EQ(headroom.most, 112 * mib);
    EXPECT_EQ(headroom.code, 0U);
}

TEST_F(MadeUpCgroup, MappedPagesAreCodeAndNeverMoreThanAllFilePages) {
    v1("job/own", 512 * mib, 500 * mib, 100 * mib, 0, 12 * mib);
    EXPECT_EQ(read(1, 1).code, 12 * mib);
    v1("job/own", 512 * mib, 500 * mib, 100 * mib, 0, 300 * mib);  // mapped shared memory
    EXPECT_EQ(read(1, 1).code, 100 * mib);
}

TEST_F(MadeUpCgroup, AFileThatCannotBeReadMeansNothingIsKnown) {
    v1("job/own", 512 * mib, 100 * mib);
    write("job/own", "memory.usage_in_bytes", "");
    EXPECT_FALSE(read(1, 1).known);
    v1("job/own", 512 * mib, 100 * mib);
    write("job/own", "memory.stat", "nothing of use");
    EXPECT_FALSE(read(1, 1).known);
    write("job/own", "memory.limit_in_bytes", "much");
    EXPECT_FALSE(read(1, 1).known);
}

TEST_F(MadeUpCgroup, ALevelOfV2WithoutALimitOrWithoutFilesIsPassedOver) {
    v2("job/own", "max", 100 * mib);
    const Headroom unlimited = read(2);  // "job" has no such files, like the root
    ASSERT_TRUE(unlimited.known);
    v2("job/own", std::to_string(128 * mib), 100 * mib);
    EXPECT_EQ(read(2).most, 28 * mib);
}

TEST_F(MadeUpCgroup, UsageAboveALoweredLimitLeavesNothing) {
    v2("job/own", std::to_string(64 * mib), 100 * mib);
    EXPECT_EQ(read(2, 1).most, 0U);
}

// A made-up /proc, in which processes hold what they are said to.
class MadeUpProcesses : public ::testing::Test {
protected:
    MadeUpProcesses() {
        std::string pattern = ::testing::TempDir() + "holdfast-XXXXXX";
        root_ = ::mkdtemp(pattern.data());
        add(1, 9000 * mib, "/", "init", -1000);
        std::filesystem::create_directories(root_ + "/self");
    }
    ~MadeUpProcesses() override { std::filesystem::remove_all(root_); }

    void add(int pid, std::uint64_t bytes, const std::string& group, const std::string& mapped,
             int adjustment = 0) const {
        const std::string folder = root_ + "/" + std::to_string(pid) + "/";
        std::filesystem::create_directories(folder);
        std::ofstream(folder + "status") << "Name:\tx\nVmRSS:\t" << bytes / 1024 << " kB\n";
        std::ofstream(folder + "oom_score_adj") << adjustment << "\n";
        std::ofstream(folder + "cgroup") << "5:pids:/\n4:memory:" << group << "\n0::/\n";
        std::ofstream(folder + "maps") << std::string(4090, 'x') << mapped << "\n";
    }
    bool spared(std::uint32_t levels_up, std::uint64_t more = 0) const {
        return stranger_dies_first(root_.c_str(), 10, {levels_up, 1, 1000 * mib}, more);
    }
    static constexpr char watched[] = "/usr/lib/libholdfast_agent.so";
    std::string root_;
};

TEST_F(MadeUpProcesses, TheHeaviestOfTheSameLevelDies) {
    add(10, 100 * mib, "/job/own", watched);
    EXPECT_FALSE(spared(0));
    add(11, 500 * mib, "/job/other", "stranger");
    EXPECT_FALSE(spared(0));
    EXPECT_TRUE(spared(1));
    EXPECT_TRUE(spared(whole_machine));
    EXPECT_FALSE(spared(1, 450 * mib));  // with what it asks for, it is the heaviest itself
    add(12, 501 * mib, "/jobless", "stranger");
    add(11, 50 * mib, "/job/other", "stranger");
    EXPECT_FALSE(spared(1));
}

TEST_F(MadeUpProcesses, ManyThatAreHeavierElsewhereHideNobody) {
    add(10, 100 * mib, "/job", watched);
    add(11, 500 * mib, "/job", "stranger");
    for (int pid = 20; pid < 60; ++pid) add(pid, 900 * mib, "/elsewhere", "stranger");
    EXPECT_TRUE(spared(0));
}

TEST_F(MadeUpProcesses, AWatchedOneIsProtectedWhoeverAsks) {
    add(10, 100 * mib, "/job", watched);
    add(11, 500 * mib, "/job", "stranger");
    add(12, 700 * mib, "/job", watched);
    EXPECT_FALSE(spared(0));
}

TEST_F(MadeUpProcesses, TheScoreOfAProcessWeighsByTheLimit) {
    add(10, 100 * mib, "/job", watched);
    add(11, 500 * mib, "/job", "stranger", -500);  // 500 - 0.5 * 1000
    EXPECT_FALSE(spared(0));
    add(12, 10 * mib, "/job", "stranger", 300);
    EXPECT_TRUE(spared(0));
}

TEST(Victim, FindsTheControllerOfEitherVersion) {
    constexpr Text both = "12:cpu,cpuacct:/a\n4:memory:/job/own\n0::/unified\n";
    EXPECT_TRUE(memory_path(both, 1) == "/job/own");
    EXPECT_TRUE(memory_path(both, 2) == "/unified");
    EXPECT_TRUE(memory_path("nonsense", 1).empty());
    EXPECT_TRUE(memory_path("4:memory", 1).empty());
}

TEST(AbsentBytes, OnlyPagesThatAreNotThereCount) {
    constexpr std::size_t size = 8 * mib;
    void* memory =
        ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    ::madvise(memory, size, MADV_NOHUGEPAGE);
    EXPECT_EQ(absent_bytes(memory, size, no_figure), size);
    std::memset(memory, 1, size / 2);
    EXPECT_EQ(absent_bytes(memory, size, no_figure), size / 2);
    EXPECT_GT(absent_bytes(memory, size, mib), mib);
    ::munmap(memory, size);
    EXPECT_EQ(absent_bytes(memory, size, no_figure), 0U);  // unknown
}

TEST(Foresight, ZeroesAreUsedOnlyIfThoseBeforeWere) {
    GuardState state{};
    constexpr std::size_t size = 4 * mib;
    void* blocks[3];
    for (void*& block : blocks) {
        block = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ::madvise(block, size, MADV_NOHUGEPAGE);
    }
    EXPECT_FALSE(zeroed_are_used(state, size));
    for (int i = 0; i < 2; ++i) {
        remember_zeroed(state, blocks[i], size);
        std::memset(blocks[i], 1, size);
    }
    EXPECT_TRUE(zeroed_are_used(state, size));
    EXPECT_FALSE(zeroed_are_used(state, 100 * size));  // of another size: no history
    remember_zeroed(state, blocks[2], size);           // one that is sparse
    EXPECT_FALSE(zeroed_are_used(state, size));
    for (void* block : blocks) ::munmap(block, size);
}

bool received(std::initializer_list<CalledFunction> stack) {
    return error_is_received(stack.begin(), stack.size());
}

constexpr CalledFunction user{"/home/u/train.py", "load"};
constexpr CalledFunction bootstrap{"/lib/python3.12/multiprocessing/process.py",
                                   "BaseProcess._bootstrap"};

TEST(Recipient, TheMainProgramGetsItsErrors) {
    EXPECT_TRUE(received({user, {"/home/u/train.py", "<module>"}}));
    EXPECT_TRUE(received({user, {"/home/u/multiprocessing/process.py", "run"}}));
}

TEST(Recipient, AProcessOfItsOwnEndsAndNobodyHears) {
    EXPECT_FALSE(
        received({user, {"/lib/python3.12/multiprocessing/process.py", "run"}, bootstrap}));
    EXPECT_FALSE(received({user, {"/lib/python3.8/multiprocessing/spawn.py", "spawn_main"}}));
}

TEST(Recipient, AnErrorWhileTheInterpreterWaitsForItsThreadsIsLost) {
    EXPECT_FALSE(received({{"/lib/python3.12/threading.py", "_shutdown"}}));
}

TEST(Recipient, APoolHandsOnWhatItsTasksRaise) {
    const CalledFunction worker{"/lib/python3.12/multiprocessing/pool.py", "worker"};
    const CalledFunction star{"/lib/python3.12/multiprocessing/pool.py", "mapstar"};
    EXPECT_TRUE(received({user, star, worker, bootstrap}));
    EXPECT_TRUE(received({user, worker, bootstrap}));
    // But its error is lost while it takes a task or sends a result.
    const CalledFunction send{"/lib/python3.12/multiprocessing/connection.py", "Connection.send"};
    const CalledFunction put{"/lib/python3.12/multiprocessing/queues.py", "SimpleQueue.put"};
    EXPECT_FALSE(received({send, put, worker, bootstrap}));
    EXPECT_FALSE(received({{worker.file, "MaybeEncodingError.__init__"}, worker, bootstrap}));
    EXPECT_FALSE(received({worker, bootstrap}));
}

TEST(Survivors, AreKnownByTheFileTheirCodeIsIn) {
    const auto in = [](const char* path) { return survival_in(Text::of(path)); };
    EXPECT_EQ(in("/usr/bin/python3.12"), Survival::asks);
    EXPECT_EQ(in("/v/lib/python3.11/site-packages/numpy/_core/_multiarray_umath.so"),
              Survival::clears);
    EXPECT_EQ(in("/v/lib/python3.11/site-packages/torch/lib/libc10.so"), Survival::throws);
    EXPECT_EQ(in("/v/lib/python3.11/site-packages/torch/_C.cpython-311.so"), Survival::passes);
    EXPECT_EQ(in("/v/site-packages/torch/lib/libtorch_python.so"), Survival::passes);
    EXPECT_EQ(in("/v/site-packages/torch/lib/libtorch_cpu.so"), Survival::unwinds);
    EXPECT_EQ(in("/usr/lib/libstdc++.so.6.0.30"), Survival::passes);
    // Neither a folder's name nor another file that begins alike, nor code made at run time.
    EXPECT_EQ(in("/home/u/python3/libpng.so"), Survival::no);
    EXPECT_EQ(in("/v/site-packages/torchvision/_C.so"), Survival::no);
    EXPECT_EQ(in("/v/site-packages/numpy.libs/libscipy_openblas64_.so"), Survival::passes);
    EXPECT_EQ(in("[heap]"), Survival::no);
    EXPECT_EQ(in(""), Survival::no);
}

TEST(Recipient, AThreadsErrorIsCarriedOnlyByWhoAsksForItsResult) {
    const auto carried = [](std::initializer_list<CalledFunction> stack) {
        return error_is_carried(stack.begin(), stack.size());
    };
    const CalledFunction thread{"/lib/python3.12/threading.py", "Thread._bootstrap"};
    const CalledFunction item{"/lib/python3.12/concurrent/futures/thread.py", "_WorkItem.run"};
    const CalledFunction worker{"/lib/python3.12/multiprocessing/pool.py", "worker"};
    const CalledFunction feeder{"/lib/python3.12/multiprocessing/queues.py", "Queue._feed"};
    const CalledFunction tasks{"/lib/python3.12/multiprocessing/pool.py", "Pool._handle_tasks"};
    EXPECT_TRUE(carried({user, item, thread}));
    EXPECT_TRUE(carried({user, worker, thread}));
    EXPECT_FALSE(carried({user, thread}));
    EXPECT_FALSE(carried({feeder, thread}));
    EXPECT_FALSE(carried({tasks, thread}));
    // Any error of the thread that takes the results breaks the pool, and its users are told.
    const CalledFunction receive{"/lib/python3.12/multiprocessing/connection.py",
                                 "_ConnectionBase.recv"};
    const CalledFunction manager{"/lib/python3.12/concurrent/futures/process.py",
                                 "_ExecutorManagerThread.wait_result_broken_or_wakeup"};
    EXPECT_TRUE(carried({receive, manager, thread}));
    EXPECT_FALSE(carried({manager, thread}));
}

TEST(Recipient, AnErrorIsSentOnWhereATaskOfAWorkerRaisesIt) {
    const auto sent = [](std::initializer_list<CalledFunction> stack) {
        return error_is_sent_on(stack.begin(), stack.size());
    };
    const CalledFunction worker{"/lib/python3.12/multiprocessing/pool.py", "worker"};
    EXPECT_TRUE(sent({user, worker}));
    EXPECT_FALSE(sent({user}));
}

TEST(UnseenGrowth, IsWhatWasLostAndNotAskedForAndHappenedTwice) {
    GuardState state{};
    note_look(state, 100 * mib, 1);
    note_look(state, 90 * mib, 2);
    EXPECT_EQ(unseen_growth(state).largest, 10 * mib);
    EXPECT_EQ(unseen_growth(state).second, 0U);  // it may have been an import
    state.asked += 6 * mib;
    note_look(state, 80 * mib, 3);
    EXPECT_EQ(unseen_growth(state).second, 4 * mib);
}

TEST(UnseenGrowth, WhatWasAskedForMayBeTouchedLater) {
    GuardState state{};
    note_look(state, 100 * mib, 1);
    state.asked += 8 * mib;
    note_look(state, 99 * mib, 2);
    note_look(state, 92 * mib, 3);
    EXPECT_EQ(unseen_growth(state).largest, 0U);
}

TEST(UnseenGrowth, MemoryThatComesAndGoesIsNone) {
    GuardState state{};
    note_look(state, 100 * mib, 1);
    for (int i = 0; i < 4; ++i) note_look(state, (i % 2 == 0 ? 80 : 100) * mib, 2 + i);
    EXPECT_EQ(unseen_growth(state).largest, 0U);
}

TEST(UnseenGrowth, IsForgottenAfterAWhile) {
    GuardState state{};
    constexpr std::int64_t second = 1'000'000'000;
    note_look(state, 100 * mib, 100 * second);
    for (unsigned i = 1; i < 4; ++i) note_look(state, (100 - i * 10) * mib, 100 * second + i);
    EXPECT_EQ(unseen_growth(state).second, 10 * mib);
    note_look(state, 70 * mib, 120 * second);
    EXPECT_EQ(unseen_growth(state).second, 0U);
}

TEST(Recipient, AThreadOfTheProgramIsKnownByItsFunction) {
    const auto own = [](std::initializer_list<CalledFunction> stack) {
        return is_thread_of_program(stack.begin(), stack.size());
    };
    const CalledFunction thread{"/lib/python3.12/threading.py", "Thread._bootstrap"};
    const CalledFunction run{"/lib/python3.12/threading.py", "Thread.run"};
    const CalledFunction numpy{"/lib/python3.12/site-packages/numpy/core.py", "ones"};
    EXPECT_TRUE(own({numpy, user, run, thread}));
    EXPECT_TRUE(own({user, thread}));
    EXPECT_FALSE(own({user, {"/lib/python3.12/multiprocessing/queues.py", "_feed"}, run, thread}));
    EXPECT_FALSE(own({user}));
    EXPECT_FALSE(own({run, thread}));
}

Here here(std::initializer_list<CalledFunction> stack) {
    return may_raise_in(stack.begin(), stack.size());
}

TEST(RaisePlace, ALineOfTheProgramAndAWaitAreFit) {
    EXPECT_EQ(here({user}), Here::yes);
    const CalledFunction wait{"/lib/python3.12/threading.py", "Condition.wait"};
    const CalledFunction old_join{"/lib/python3.8/threading.py", "_wait_for_tstate_lock"};
    EXPECT_EQ(here({wait, user}), Here::waits);
    EXPECT_EQ(here({old_join, user}), Here::waits);
}

TEST(RaisePlace, BetweenALockAndItsReleaseIsNot) {
    EXPECT_EQ(here({{"/lib/python3.12/queue.py", "Queue.put"}, user}), Here::not_now);
    EXPECT_EQ(here({{"/lib/python3.12/threading.py", "Condition.notify"}, user}), Here::not_now);
    EXPECT_EQ(here({{"/lib/python3.12/logging/__init__.py", "Logger.info"}, user}), Here::not_now);
}

TEST(RaisePlace, NeitherIsWhatTheyCallInOtherLibraries) {
    const CalledFunction other{"/lib/python3.12/selectors_helper.py", "helper"};
    const CalledFunction put{"/lib/python3.12/multiprocessing/queues.py", "Queue.put"};
    const CalledFunction star{"/lib/python3.12/multiprocessing/pool.py", "mapstar"};
    const CalledFunction worker{"/lib/python3.12/multiprocessing/pool.py", "worker"};
    const CalledFunction held[] = {other, put, user};
    EXPECT_EQ(may_raise_in(held, 3), Here::not_now);
    const CalledFunction task[] = {other, star, worker};
    EXPECT_EQ(may_raise_in(task, 3), Here::yes);
    const CalledFunction own[] = {user, put};
    EXPECT_EQ(may_raise_in(own, 2), Here::yes);
}

TEST(RaisePlace, AnImportAndADestructorAreNot) {
    EXPECT_EQ(here({user, {"<frozen importlib._bootstrap>", "_load_unlocked"}, user}),
              Here::not_now);
    EXPECT_EQ(here({user, {"/home/u/model.py", "Model.__del__"}}), Here::not_now);
    EXPECT_EQ(here({}), Here::not_now);
}

TEST(RaisePlace, WhereNobodyHearsItNeverIs) {
    EXPECT_EQ(here({user, bootstrap}), Here::never);
    EXPECT_EQ(here({{"/lib/python3.12/threading.py", "_shutdown"}}), Here::never);
}

}  // namespace
}  // namespace holdfast::agent
