// Facts about a crash: on real crashes where possible, on made-up ones elsewhere.
#include "evidence/crash_facts.h"

#include <gtest/gtest.h>

#include <signal.h>

#include "native/crash_sample.h"
#include "native/stack.h"

namespace holdfast {
namespace {

CrashRecord crash(const char* scenario) {
    return CrashSample(scenario, HOLDFAST_CRASH_PLAIN).record();
}

TEST(CrashFactsTest, AnExhaustedStackIsOneAndANullPointerIsNot) {
    const CrashRecord deep = crash("recursion");
    EXPECT_TRUE(is_stack_overflow(deep));
    EXPECT_FALSE(is_null_access(deep));
    const CrashRecord plain = crash("plain");
    EXPECT_FALSE(is_stack_overflow(plain));
    EXPECT_TRUE(is_null_access(plain));
    EXPECT_FALSE(is_stack_overflow(crash("thread")));
}

TEST(CrashFactsTest, WithoutBoundsOfTheStackNothingIsSaid) {
    CrashRecord deep = crash("recursion");
    deep.stack_low.reset();
    EXPECT_FALSE(is_stack_overflow(deep));
}

TEST(CrashFactsTest, AStrayPointerToTheGuardIsNoOverflow) {
    CrashRecord record = crash("plain");
    record.stack_low = *record.sp - (std::uint64_t{4} << 20U);
    record.address = *record.stack_low - 8;
    EXPECT_FALSE(is_stack_overflow(record));
}

TEST(CrashFactsTest, ACallToNowhereIsToldFromAnAccess) {
    EXPECT_TRUE(is_bad_call(crash("nowhere")));
    EXPECT_FALSE(is_bad_call(crash("plain")));
#if defined(__x86_64__)
    EXPECT_EQ(fault_access(crash("nowhere")), FaultAccess::execute);
    EXPECT_EQ(fault_access(crash("plain")), FaultAccess::write);
#endif
}

TEST(CrashFactsTest, TheFaultingLibraryIsTheOneAtThePc) {
    EXPECT_EQ(
        faulting_library(crash("plain")),
        std::string(HOLDFAST_CRASH_PLAIN).substr(std::string(HOLDFAST_CRASH_PLAIN).rfind('/') + 1));
    EXPECT_EQ(faulting_library(crash("jit")), "[anonymous]");
    EXPECT_EQ(faulting_library(crash("nowhere")), "");
    EXPECT_EQ(faulting_library(CrashRecord{}), "");
}

TEST(CrashFactsTest, AnAbortOfTheAllocatorIsToldFromAnyOther) {
    const CrashRecord twice = crash("free");
    const NativeStack stack = unwind(twice);
    if (stack.frames.size() < 2) GTEST_SKIP() << "no libdw here";
    EXPECT_TRUE(is_heap_abort(twice, stack.frames));
    ASSERT_NE(blamed_frame(stack.frames), nullptr);
    EXPECT_EQ(blamed_frame(stack.frames)->symbol, "sample::freed_twice()");
    const CrashRecord plain = crash("abort");
    EXPECT_FALSE(is_heap_abort(plain, unwind(plain).frames));
    EXPECT_FALSE(is_exception_abort(plain, unwind(plain).frames));
}

TEST(CrashFactsTest, FunctionsAreNotTakenForOthersThatBeginAlike) {
    CrashRecord record;
    record.signal = SIGABRT;
    EXPECT_FALSE(is_heap_abort(record, {{"libx.so", "free_all_things", 1, "", {}}}));
    EXPECT_TRUE(is_heap_abort(record, {{"libc.so.6", "free@@GLIBC_2.2.5", 1, "", {}}}));
    EXPECT_TRUE(is_exception_abort(record, {{"libstdc++.so.6", "std::terminate()", 1, "", {}}}));
    record.signal = SIGSEGV;
    EXPECT_FALSE(is_heap_abort(record, {{"libc.so.6", "free", 1, "", {}}}));
}

TEST(CrashFactsTest, TheKindsOfBusError) {
    CrashRecord record;
    record.signal = SIGBUS;
    record.code = BUS_ADRERR;
    EXPECT_TRUE(is_lost_file_page(record));
    EXPECT_FALSE(is_memory_error(record));
    record.code = BUS_MCEERR_AR;
    EXPECT_FALSE(is_lost_file_page(record));
    EXPECT_TRUE(is_memory_error(record));
    record.signal = SIGSEGV;
    EXPECT_FALSE(is_lost_file_page(record));
    EXPECT_FALSE(is_wild_address(record));
    record.code = SI_KERNEL;
    EXPECT_TRUE(is_wild_address(record));
}

TEST(CrashFactsTest, ThreadsInOneLibraryAreFoundAndTheCLibraryIsNobodys) {
    CrashRecord record;
    record.tid = 1;
    record.pc = 0x1100;
    record.modules = {{0x1000, 0x2000, 0, 5, "/opt/lib/libtokenizers.so"},
                      {0x3000, 0x4000, 0, 6, "/lib/libc.so.6"},
                      {0x5000, 0x6000, 0, 7, "/opt/lib/libother.so"}};
    record.threads = {{1, 0x3000, "main"}, {2, 0x1200, "w"}, {3, 0x3100, "w"},
                      {4, 0x3200, "w"},    {5, 0x5001, "w"}, {6, std::nullopt, "w"}};
    const auto shared = libraries_with_several_threads(record);
    ASSERT_EQ(shared.size(), 1U);
    EXPECT_EQ(shared[0].library, "libtokenizers.so");
    EXPECT_EQ(shared[0].tids, (std::vector<int>{1, 2}));
}

}  // namespace
}  // namespace holdfast
