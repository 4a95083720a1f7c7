// Real crashes, unwound from what they left behind.
#include "native/stack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include "native/crash_sample.h"
#include "native/isolated.h"
#include "native/libdw.h"
#include "record/temporary_directory.h"

namespace holdfast {
namespace {

bool have_libdw() {
#ifdef HOLDFAST_HAVE_LIBDW
    return LibDw::load() != nullptr;
#else
    return false;
#endif
}

std::vector<std::string> symbols(const NativeStack& stack) {
    std::vector<std::string> names;
    for (const NativeFrame& frame : stack.frames) names.push_back(frame.symbol);
    return names;
}

// The names must appear in this order; other names may be in between.
void expect_order(const NativeStack& stack, const std::vector<std::string>& wanted) {
    const std::vector<std::string> names = symbols(stack);
    auto from = names.begin();
    for (const std::string& name : wanted) {
        from = std::find(from, names.end(), name);
        ASSERT_NE(from, names.end()) << name << " not in\n" << native_text(stack, 1U << 20U);
    }
}

const std::vector<std::string> inner{"sample::Widget<double>::poke(double)",
                                     "sample::middle(char const*, sample::Widget<double>&)",
                                     "sample::outer(int)"};

std::vector<std::string> inner_and(std::initializer_list<std::string> more) {
    std::vector<std::string> names = inner;
    names.insert(names.end(), more);
    return names;
}

// Both builds of the library: optimised without debug information and frame pointers, and not
// optimised with both.
class NativeStackTest : public ::testing::TestWithParam<const char*> {
protected:
    CrashRecord crash(const std::string& scenario) {
        return CrashSample(scenario, GetParam()).record();
    }
    std::string library() const { return std::filesystem::path(GetParam()).filename(); }
    static bool debug() { return std::strcmp(GetParam(), HOLDFAST_CRASH_DEBUG) == 0; }
};
std::string build_name(const ::testing::TestParamInfo<const char*>& build) {
    return build.index == 0 ? "plain" : "debug";
}
INSTANTIATE_TEST_SUITE_P(, NativeStackTest,
                         ::testing::Values(HOLDFAST_CRASH_PLAIN, HOLDFAST_CRASH_DEBUG), build_name);

TEST_P(NativeStackTest, NamesEveryFrameFromTheFaultToMain) {
    const NativeStack stack = unwind(crash("plain"));
    ASSERT_GE(stack.frames.size(), 4U);
    for (std::size_t i = 0; i < inner.size(); ++i) {
        EXPECT_EQ(stack.frames[i].symbol, inner[i]);
        EXPECT_EQ(stack.frames[i].library, library());
        EXPECT_LT(stack.frames[i].offset, 1000U);
    }
    expect_order(stack, inner_and({"main"}));
    EXPECT_TRUE(stack.missing.empty());
}

TEST_P(NativeStackTest, GivesFileAndLineWhereDebugInformationIs) {
    if (!have_libdw()) GTEST_SKIP() << "no libdw here";
    const NativeStack stack = unwind(crash("plain"));
    ASSERT_GE(stack.frames.size(), 3U);
    if (!debug()) {
        EXPECT_FALSE(stack.frames[0].line);
        return;
    }
    ASSERT_TRUE(stack.frames[0].line);
    std::ifstream source(stack.frames[0].file);
    ASSERT_TRUE(source) << stack.frames[0].file;
    std::string text;
    for (int i = 0; i < *stack.frames[0].line; ++i) std::getline(source, text);
    EXPECT_NE(text.find("// HERE"), std::string::npos) << text;
    EXPECT_TRUE(stack.frames[1].line && stack.frames[2].line);
}

TEST_P(NativeStackTest, PassesThroughASignalFrame) {
    const NativeStack stack = unwind(crash("handler"));
    expect_order(stack, inner_and({"sample::in_handler(int)", "(signal handler called)",
                                   "sample::interrupted()", "main"}));
}

TEST_P(NativeStackTest, FollowsTheThreadThatCrashed) {
    const NativeStack stack = unwind(crash("thread"));
    expect_order(stack, inner_and({"sample::in_thread(void*)"}));
    const auto names = symbols(stack);
    EXPECT_EQ(std::count(names.begin(), names.end(), "main"), 0);
}

TEST_P(NativeStackTest, FindsWhoCalledANullPointer) {
    const NativeStack stack = unwind(crash("nowhere"));
    ASSERT_GE(stack.frames.size(), 2U);
    EXPECT_EQ(stack.frames[0].library, "[unmapped]");
    EXPECT_EQ(stack.frames[1].symbol, "sample::call_nowhere()");
    expect_order(stack, {"sample::call_nowhere()", "main"});
}

TEST_P(NativeStackTest, FoldsARecursion) {
    const NativeStack stack = unwind(crash("recursion"));
    ASSERT_GE(stack.frames.size(), 2U);
    EXPECT_LE(stack.frames.size(), 4U);
    EXPECT_EQ(stack.frames[0].symbol, "sample::deep(int)");
    EXPECT_TRUE(stack.frames.back().symbol.starts_with("... (about "))
        << stack.frames.back().symbol;
    EXPECT_TRUE(stack.frames.back().symbol.ends_with(" more frames of this one)"));
}

TEST_P(NativeStackTest, FoldsFunctionsThatCallEachOther) {
    const NativeStack stack = unwind(crash("mutual"));
    ASSERT_GE(stack.frames.size(), 3U);
    EXPECT_LE(stack.frames.size(), 5U);
    EXPECT_TRUE(stack.frames.back().symbol.ends_with(" more frames of these 2)"))
        << stack.frames.back().symbol;
}

TEST_P(NativeStackTest, StopsWhereNoTableDescribesTheFrame) {
    const NativeStack stack = unwind(crash("jit"));
    ASSERT_EQ(stack.frames.size(), 1U);
    EXPECT_EQ(stack.frames[0].library, "[anonymous]");
    EXPECT_EQ(stack.frames[0].symbol, "");
    EXPECT_EQ(stack.missing,
              std::vector<std::string>{"native stack: no unwind table covers [anonymous]; only the "
                                       "faulting place is known"});
}

TEST_P(NativeStackTest, OfATruncatedCopyOnlyTrueFrames) {
    CrashRecord record = crash("plain");
    const NativeStack whole = unwind(record);
    ASSERT_GE(whole.addresses.size(), 4U);
    const std::vector<std::byte> copy = record.stack;
    std::size_t most = 0;
    for (std::size_t size = 0; size < copy.size(); size += 1 + size / 8) {
        record.stack.assign(copy.begin(), copy.begin() + static_cast<std::ptrdiff_t>(size));
        const NativeStack part = unwind(record);
        ASSERT_GE(part.addresses.size(), 1U);
        ASSERT_LE(part.addresses.size(), whole.addresses.size());
        EXPECT_TRUE(
            std::equal(part.addresses.begin(), part.addresses.end(), whole.addresses.begin()));
        most = std::max(most, part.addresses.size());
    }
    EXPECT_GT(most, 1U);
}

TEST_P(NativeStackTest, IsTheSameInAProcessOfItsOwn) {
    const CrashRecord record = crash("plain");
    const IsolationLimits limits{std::chrono::seconds(60), std::chrono::seconds(60), 24U << 10U};
    EXPECT_EQ(unwind_isolated(record, limits), native_text(unwind(record), 24U << 10U));
}

TEST_P(NativeStackTest, WithoutTimeStillNamesTheFaultingPlace) {
    const IsolationLimits limits{Nanos(0), Nanos(0), 24U << 10U};
    const NativeStack stack = parse_native_text(unwind_isolated(crash("plain"), limits));
    ASSERT_EQ(stack.frames.size(), 1U);
    EXPECT_EQ(stack.frames[0].symbol, inner[0]);
    EXPECT_EQ(stack.missing.size(), 1U);
}

// Damaged on purpose: whatever the registers and the stack hold, unwinding must end, with few
// frames.
TEST_P(NativeStackTest, SurvivesGarbage) {
    const CrashRecord real = crash("handler");
    std::mt19937_64 random(4);
    for (int round = 0; round < 60; ++round) {
        CrashRecord record = real;
        for (std::byte& byte : record.stack)
            if (random() % 16 == 0) byte = static_cast<std::byte>(random());
        if (round % 3 == 0) record.registers[random() % record.registers.size()] = random();
        if (round % 5 == 0) {
            // Every word is an address in the stack or in code: leads to loops and false returns.
            for (std::size_t at = 0; at + 8 <= record.stack.size(); at += 8) {
                const std::uint64_t word = random() % 2 == 0
                                               ? record.stack_from + random() % record.stack.size()
                                               : *real.pc + random() % 4096;
                std::memcpy(record.stack.data() + at, &word, sizeof(word));
            }
        }
        EXPECT_LE(unwind(record).frames.size(), most_native_frames);
    }
}

// A copy of the library, which the tests change.
class ChangedLibraryTest : public ::testing::Test {
protected:
    void SetUp() override { std::filesystem::copy_file(HOLDFAST_CRASH_DEBUG, path_); }
    TemporaryDirectory folder_;
    std::string path_ = folder_ / "libown.so";
};

TEST_F(ChangedLibraryTest, NamesNothingFromAFileThatWasReplaced) {
    const CrashRecord record = CrashSample("plain", path_).record();
    std::filesystem::copy_file(HOLDFAST_CRASH_PLAIN, folder_ / "new");
    std::filesystem::rename(folder_ / "new", path_);
    const NativeStack stack = unwind(record);
    ASSERT_EQ(stack.frames.size(), 1U);
    EXPECT_EQ(stack.frames[0].library, "libown.so");
    EXPECT_EQ(stack.frames[0].symbol, "");
    EXPECT_GT(stack.frames[0].offset, 0U);
    ASSERT_FALSE(stack.missing.empty());
    EXPECT_EQ(stack.missing[0],
              "native frames in libown.so: the file is not the one that was running");
}

TEST_F(ChangedLibraryTest, SaysThatAFileIsGone) {
    const CrashRecord record = CrashSample("plain", path_).record();
    std::filesystem::remove(path_);
    const NativeStack stack = unwind(record);
    ASSERT_EQ(stack.frames.size(), 1U);
    EXPECT_EQ(stack.frames[0].library, "libown.so");
    ASSERT_FALSE(stack.missing.empty());
    EXPECT_EQ(stack.missing[0], "native frames in libown.so: the file is gone");
}

TEST_F(ChangedLibraryTest, ReadsASeparateDebugFile) {
    if (!have_libdw()) GTEST_SKIP() << "no libdw here";
    if (std::system("objcopy --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no objcopy here";
    const std::string change = "cd '" + folder_.path() +
                               "' && objcopy --only-keep-debug libown.so own.debug && "
                               "objcopy --strip-all --add-gnu-debuglink=own.debug libown.so";
    ASSERT_EQ(std::system(change.c_str()), 0);
    const CrashRecord record = CrashSample("plain", path_).record();
    const NativeStack stack = unwind(record);
    expect_order(stack, inner);
    EXPECT_TRUE(stack.frames[0].line);

    // A debug file of another build does not count.
    std::filesystem::copy_file(HOLDFAST_CRASH_PLAIN, folder_ / "own.debug",
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_FALSE(unwind(record).frames[0].line);
}

TEST(NativeStackOnlyFaultTest, NamesTheFaultingPlace) {
    const CrashRecord record = CrashSample("plain", HOLDFAST_CRASH_PLAIN).record();
    const NativeStack stack = unwind(record, {{}, true});
    ASSERT_EQ(stack.frames.size(), 1U);
    EXPECT_EQ(stack.frames[0].symbol, inner[0]);
}

TEST(NativeStackOnlyFaultTest, ARecordWithNothingInItHasNoFrames) {
    EXPECT_TRUE(unwind(CrashRecord{}).frames.empty());
}

TEST(ReadableSymbolTest, DemanglesOnlyWhatIsMangled) {
    EXPECT_EQ(readable_symbol("_ZN2at6native3addEv"), "at::native::add()");
    EXPECT_EQ(readable_symbol("free"), "free");
    EXPECT_EQ(readable_symbol("i"), "i");
    EXPECT_EQ(readable_symbol("_Zbroken"), "_Zbroken");
}

}  // namespace
}  // namespace holdfast
