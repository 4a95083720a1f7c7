// crash.box: what is written can be read, and nothing else in the file is believed.
#include <gtest/gtest.h>

#include <signal.h>

#include <algorithm>
#include <cstring>

#include "base/checksum.h"
#include "record/box_reader.h"
#include "record/crash_box.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

using format::Crash;
using format::CrashState;

class CrashBoxTest : public ::testing::Test {
protected:
    void SetUp() override {
        Result<CrashBox> made = CrashBox::create(nullptr, {4242, 777, ""});
        ASSERT_TRUE(made) << made.error().text;
        box_ = std::move(*made);
    }
    Crash& slot(std::size_t number) {
        return *reinterpret_cast<Crash*>(box_.bytes().data() + format::crash_slots_offset +
                                         number * format::crash_slot_space);
    }
    std::vector<CrashRecord> read() {
        const auto records = read_crashes(box_.fd());
        EXPECT_TRUE(records) << records.error().text;
        return records ? *records : std::vector<CrashRecord>{};
    }
    CrashRecord only() {
        const auto records = read();
        EXPECT_EQ(records.size(), 1U);
        return records.empty() ? CrashRecord{} : records[0];
    }
    template <std::size_t N>
    static void put(char (&field)[N], std::uint32_t& size, std::string_view text) {
        ASSERT_LE(text.size(), N);
        std::memcpy(field, text.data(), text.size());
        size = static_cast<std::uint32_t>(text.size());
    }
    void fill(Crash& crash) {
        crash.state = CrashState::complete;
        crash.pid = 100;
        crash.tid = 101;
        crash.signal = SIGSEGV;
        crash.code = SEGV_MAPERR;
        crash.start_ticks = 555;
        crash.time = 9'000'000'000;
        crash.address = 0x18;
        crash.machine = format::CrashMachine::x86_64;
        crash.register_count = 23;
        crash.registers[16] = crash.pc = 0x7f0000001000;
        crash.registers[15] = crash.sp = 0x7ffc00000100;
        crash.stack_low = 0x7ffc00000000;
        crash.stack_high = 0x7ffc00010000;
        crash.stack_copy_from = crash.sp;
        crash.stack_size = 64;
        std::memset(crash.stack, 0xab, 64);
        std::strcpy(crash.thread, "worker");
        std::strcpy(crash.exception_type, "St13runtime_error");
        put(crash.abort_text, crash.abort_size, "free(): invalid pointer\n");
        put(crash.modules, crash.modules_size,
            "7f0000000000-7f0000004000 1000 123 /usr/lib/with space.so\n"
            "400000-401000 0 0 \n"
            "7fff00000000-7fff00002000 0 0 [vdso]\n");
        put(crash.python, crash.python_size,
            "T 101 MainThread\nF 12\ttrain.py\tstep\nF 0\t<string>\t<module>\nT 102 \n");
        put(crash.threads, crash.threads_size, "101 7f0000001000 python\n102 - pt_main_thread\n");
    }

    CrashBox box_;
};

TEST_F(CrashBoxTest, AFreshBoxHasNoCrash) { EXPECT_TRUE(read().empty()); }

TEST_F(CrashBoxTest, IsMadeInTheRunDirectoryWithAllItsSpaceReserved) {
    const TemporaryDirectory home;
    RunHome run_home;
    run_home.candidates.push_back({home.path(), false});
    const auto directory = RunDirectory::create(run_home, "20261115-042447-123-4242");
    ASSERT_TRUE(directory) << directory.error().text;
    const auto made = CrashBox::create(&*directory, {1, 2, ""});
    ASSERT_TRUE(made) << made.error().text;
    const auto records = read_crashes(*directory);
    ASSERT_TRUE(records) << records.error().text;
    EXPECT_TRUE(records->empty());
    const auto text = directory->read_file(run_file::crash, box_size_limit);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->size(), format::crash_box_size);
}

TEST_F(CrashBoxTest, EveryPartIsReadBack) {
    fill(slot(0));
    const CrashRecord crash = only();
    EXPECT_TRUE(crash.finished);
    EXPECT_FALSE(crash.survived);
    EXPECT_EQ(crash.pid, 100);
    EXPECT_EQ(crash.tid, 101);
    EXPECT_EQ(crash.signal, SIGSEGV);
    EXPECT_EQ(crash.address, 0x18U);
    EXPECT_EQ(crash.pc, 0x7f0000001000U);
    EXPECT_EQ(crash.registers.size(), 23U);
    EXPECT_EQ(crash.stack.size(), 64U);
    EXPECT_EQ(crash.stack[63], std::byte{0xab});
    EXPECT_EQ(crash.thread, "worker");
    EXPECT_EQ(crash.exception_type, "St13runtime_error");
    EXPECT_EQ(crash.abort_text, "free(): invalid pointer\n");
    EXPECT_FALSE(crash.sender_pid);
    ASSERT_EQ(crash.modules.size(), 3U);
    EXPECT_EQ(crash.modules[0].start, 0x400000U);
    EXPECT_FALSE(crash.modules[0].inode);
    EXPECT_EQ(crash.modules[0].path, "");
    EXPECT_EQ(crash.modules[1].path, "/usr/lib/with space.so");
    EXPECT_EQ(crash.modules[1].offset, 0x1000U);
    EXPECT_EQ(crash.modules[1].inode, 123U);
    ASSERT_EQ(crash.python.size(), 2U);
    ASSERT_EQ(crash.python[0].frames.size(), 2U);
    EXPECT_EQ(crash.python[0].frames[0].line, 12);
    EXPECT_EQ(crash.python[0].frames[0].function, "step");
    EXPECT_FALSE(crash.python[0].frames[1].line);
    EXPECT_EQ(crash.python[1].tid, 102);
    ASSERT_EQ(crash.threads.size(), 2U);
    EXPECT_EQ(crash.threads[0].pc, 0x7f0000001000U);
    EXPECT_FALSE(crash.threads[1].pc);
    EXPECT_EQ(crash.threads[1].name, "pt_main_thread");
}

TEST_F(CrashBoxTest, CrashesComeInTheOrderTheyHappened) {
    fill(slot(0));
    fill(slot(1));
    slot(1).time = 8'000'000'000;
    slot(1).state = CrashState::survived;
    const auto records = read();
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].slot, 1U);
    EXPECT_TRUE(records[0].survived);
    EXPECT_EQ(records[1].slot, 0U);
    ASSERT_TRUE(records[0].wall && records[1].wall);
    EXPECT_EQ(*records[1].wall - *records[0].wall, std::chrono::seconds(1));
}

TEST_F(CrashBoxTest, AnUnfinishedRecordIsGivenAsFarAsItGoesAndMarked) {
    fill(slot(0));
    slot(0).state = CrashState::writing;
    slot(0).threads_size -= 4;  // in the middle of the last name
    slot(0).native_size = 8;
    const CrashRecord crash = only();
    EXPECT_FALSE(crash.finished);
    EXPECT_EQ(crash.modules.size(), 3U);
    ASSERT_EQ(crash.threads.size(), 1U);  // an incomplete line is no thread
    EXPECT_EQ(crash.threads[0].tid, 101);
    EXPECT_EQ(crash.native, "");  // not final yet
}

TEST_F(CrashBoxTest, ASentSignalHasASenderAndNoAddress) {
    fill(slot(0));
    slot(0).code = SI_TKILL;
    slot(0).sender_pid = 7;
    const CrashRecord crash = only();
    EXPECT_FALSE(crash.address);
    EXPECT_EQ(crash.sender_pid, 7);
    slot(0).code = SI_KERNEL;  // an address that no processor accepts, so the kernel cannot tell it
    EXPECT_FALSE(only().address);
    EXPECT_FALSE(only().sender_pid);
}

TEST_F(CrashBoxTest, SizesBeyondTheirFieldsAreCutToThem) {
    fill(slot(0));
    Crash& crash = slot(0);
    for (std::uint32_t* size : {&crash.abort_size, &crash.unread_size, &crash.modules_size,
                                &crash.python_size, &crash.threads_size, &crash.native_size,
                                &crash.stack_size, &crash.register_count, &crash.instruction_size})
        *size = 0xffffffffU;
    crash.unwound = 1;
    const CrashRecord read = only();
    EXPECT_EQ(read.registers.size(), 40U);
    EXPECT_EQ(read.instruction.size(), 16U);
    EXPECT_EQ(read.stack.size(), sizeof(crash.stack));
    EXPECT_EQ(read.unread.size(), sizeof(crash.unread));
    EXPECT_EQ(read.modules.size(), 3U);
}

TEST_F(CrashBoxTest, TextIsMadeSafeToShow) {
    fill(slot(0));
    std::memcpy(slot(0).thread, "a\x1b[2Jb\xff\x01", 8);
    EXPECT_EQ(only().thread, "ab??");
}

TEST_F(CrashBoxTest, MappingsThatOverlapOrMakeNoSenseAreLeftOut) {
    const auto modules = parse_crash_modules(
        "1000-2000 0 1 /a\n1800-2800 0 1 /b\n3000-3000 0 1 /c\n5000-4000 0 1 /d\n"
        "x-y 0 1 /e\n6000-7000\n8000-9000 zz 1 /f\n2000-3000 0 1 /g\n");
    ASSERT_EQ(modules.size(), 2U);
    EXPECT_EQ(modules[0].path, "/a");
    EXPECT_EQ(modules[1].path, "/g");
}

TEST_F(CrashBoxTest, AStackCopyThatWouldWrapRoundIsNone) {
    fill(slot(0));
    slot(0).stack_copy_from = ~std::uint64_t{0} - 16;
    EXPECT_TRUE(only().stack.empty());
}

TEST_F(CrashBoxTest, AStateNobodyWritesIsNoCrash) {
    fill(slot(0));
    slot(0).state = static_cast<CrashState>(77);
    EXPECT_TRUE(read().empty());
}

TEST_F(CrashBoxTest, ATruncatedBoxGivesWhatIsThere) {
    fill(slot(0));
    const std::vector<std::byte> whole(box_.bytes().begin(), box_.bytes().end());
    const std::size_t steps[] = {0,    100,  463,  464,    4096,    8192,
                                 8196, 8300, 9000, 20'000, 100'000, whole.size() - 1};
    for (const std::size_t size : steps) {
        const auto records = read_crashes(std::span(whole).first(size));
        EXPECT_EQ(records.ok(), size >= sizeof(format::FileHeader)) << size;
        if (records && size > 8300) {
            ASSERT_EQ(records->size(), 1U) << size;
            EXPECT_EQ((*records)[0].signal, SIGSEGV);
        }
    }
}

TEST_F(CrashBoxTest, ABoxOfAnotherKindOrWithADamagedHeaderIsAnError) {
    std::vector<std::byte> bytes(box_.bytes().begin(), box_.bytes().end());
    bytes[20] ^= std::byte{1};
    EXPECT_FALSE(read_crashes(bytes));
    bytes.assign(box_.bytes().begin(), box_.bytes().end());
    format::FileHeader header{};
    std::memcpy(&header, bytes.data(), sizeof(header));
    header.kind = format::BoxKind::gpu;
    header.checksum =
        crc32c(std::as_bytes(std::span(&header, 1)).first(offsetof(format::FileHeader, checksum)));
    std::memcpy(bytes.data(), &header, sizeof(header));
    EXPECT_FALSE(read_crashes(bytes));
}

}  // namespace
}  // namespace holdfast
