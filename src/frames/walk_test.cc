// Walks over memory made by hand: what is found, and where the walk stops.
#include "frames/walk.h"

#include <gtest/gtest.h>

#include <string>

#include "frames/describe.h"
#include "frames/known_layouts.h"
#include "frames/test_memory.h"

namespace holdfast::frames {
namespace {

constexpr std::uintptr_t code_type = 0xC0DE;

// An interpreter of 3.12, the version with the most indirections.
class Walk : public testing::Test {
protected:
    static constexpr const Layout& layout_ = layout_3_12;

    std::uintptr_t code(const char* file, const char* name, std::int32_t first_line) {
        const std::uintptr_t at = memory_.add(256);
        memory_.put(at + layout_.object_type, code_type);
        memory_.put(at + layout_.code_file, memory_.add_ascii(layout_, file));
        memory_.put(at + layout_.code_qualified_name, memory_.add_ascii(layout_, name));
        memory_.put(at + layout_.code_first_line, first_line);
        // One entry: eight units of the line after the first.
        memory_.put(at + layout_.code_lines, memory_.add_bytes(layout_, "\xDF\x01\x02"));
        return at;
    }
    std::uintptr_t frame(std::uintptr_t code, std::uintptr_t previous, std::uint8_t owner = 0) {
        const std::uintptr_t at = memory_.add(96);
        memory_.put(at + layout_.frame_code, code);
        memory_.put(at + layout_.frame_previous, previous);
        memory_.put(at + layout_.frame_owner, owner);
        memory_.put(at + layout_.frame_instruction, code + layout_.code_bytecode + 4);
        return at;
    }
    std::uintptr_t thread(std::uintptr_t interpreter, std::uintptr_t frame, std::uint64_t tid) {
        const std::uintptr_t cframe = memory_.add(16);
        memory_.put(cframe + layout_.cframe_frame, frame);
        const std::uintptr_t at = memory_.add(256);
        memory_.put(at + layout_.thread_interpreter, interpreter);
        memory_.put(at + layout_.thread_cframe, cframe);
        memory_.put(at + layout_.thread_tid, tid);
        return at;
    }
    std::vector<Place> places(std::uintptr_t frame, std::size_t most = 64) {
        std::vector<Place> found;
        walk_frames(memory_, layout_, code_type, frame, [&](const Place& place) {
            found.push_back(place);
            return found.size() < most;
        });
        return found;
    }
    std::vector<std::uint64_t> tids() {
        std::vector<std::uint64_t> found;
        each_thread(memory_, layout_, runtime_, [&](const ThreadState& one) {
            found.push_back(one.tid);
            return true;
        });
        return found;
    }

    TestMemory memory_;
    std::uintptr_t runtime_ = memory_.add(256);
};

TEST_F(Walk, FramesComeInnermostFirstAndCallsThroughCAreLeftOut) {
    const std::uintptr_t outer = code("a.py", "main", 10), inner = code("b.py", "Net.fit", 20);
    const std::uintptr_t bottom = frame(outer, 0);
    const std::uintptr_t top = frame(inner, frame(0, frame(0x8, bottom, 4), 3));
    const auto found = places(top);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].code, inner);
    EXPECT_EQ(found[0].instruction, 4);
    EXPECT_EQ(found[1].code, outer);

    Description words;
    ASSERT_TRUE(describe(memory_, layout_, code_type, found[0], words));
    EXPECT_EQ(std::string(words.file, words.file_size), "b.py");
    EXPECT_EQ(std::string(words.function, words.function_size), "Net.fit");
    EXPECT_EQ(words.line, 21U);
}

TEST_F(Walk, ATaggedCodeObjectIsFoundAllTheSame) {
    const std::uintptr_t one = code("a.py", "f", 1);
    const std::uintptr_t at = frame(one, 0);
    memory_.put(at + layout_.frame_code, one | 1U);
    ASSERT_EQ(places(at).size(), 1U);
    EXPECT_EQ(places(at)[0].code, one);
}

TEST_F(Walk, WhatIsNoCodeObjectEndsIt) {
    const std::uintptr_t no_code = code("a.py", "f", 1);
    memory_.put(no_code + layout_.object_type, std::uintptr_t{0xBAD});
    EXPECT_EQ(places(frame(code("a.py", "g", 1), frame(no_code, 0))).size(), 1U);
    EXPECT_EQ(places(frame(code("a.py", "g", 1), 0xDEAD0000)).size(), 1U);
    EXPECT_EQ(places(0xDEAD0000).size(), 0U);
    EXPECT_EQ(places(0).size(), 0U);
}

TEST_F(Walk, AnInstructionOutsideTheCodeCountsAsNotBegun) {
    const std::uintptr_t one = code("a.py", "f", 5), at = frame(one, 0);
    memory_.put(at + layout_.frame_instruction, one - 64);
    const auto found = places(at);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_LT(found[0].instruction, 0);
    Description words;
    ASSERT_TRUE(describe(memory_, layout_, code_type, found[0], words));
    EXPECT_EQ(words.line, 5U);
}

TEST_F(Walk, ARingOfHiddenFramesEnds) {
    const std::uintptr_t one = frame(0, 0, 3), two = frame(0, one, 3);
    memory_.put(one + layout_.frame_previous, two);
    EXPECT_EQ(places(two).size(), 0U);
}

TEST_F(Walk, ACodeObjectReplacedAtItsAddressIsNotDescribed) {
    const std::uintptr_t one = code("a.py", "f", 1);
    const auto found = places(frame(one, 0));
    ASSERT_EQ(found.size(), 1U);
    memory_.put(one + layout_.code_version, std::uint32_t{7});
    Description words;
    EXPECT_FALSE(describe(memory_, layout_, code_type, found[0], words));
}

TEST_F(Walk, ThreadsOfAllInterpreters) {
    const std::uintptr_t first = memory_.add(512), second = memory_.add(512);
    memory_.put(runtime_ + layout_.runtime_interpreters, first);
    memory_.put(first + layout_.interpreter_next, second);
    const std::uintptr_t main = thread(second, 0, 1), worker = thread(second, 0, 2);
    memory_.put(worker + layout_.thread_next, main);
    memory_.put(second + layout_.interpreter_threads, worker);
    memory_.put(first + layout_.interpreter_threads, thread(first, 0, 3));
    EXPECT_EQ(tids(), (std::vector<std::uint64_t>{3, 2, 1}));
    EXPECT_TRUE(layout_holds(memory_, layout_, runtime_));

    const std::uintptr_t gil = memory_.add(64);
    memory_.put(second + layout_.interpreter_gil, gil);
    memory_.put(gil + layout_.gil_holder, worker);
    ThreadState state;
    ASSERT_TRUE(load_thread(memory_, layout_, worker, state));
    EXPECT_FALSE(holds_gil(memory_, layout_, runtime_, state)) << "held it last";
    memory_.put(gil + layout_.gil_locked, std::int32_t{1});
    EXPECT_TRUE(holds_gil(memory_, layout_, runtime_, state));
    ASSERT_TRUE(load_thread(memory_, layout_, main, state));
    EXPECT_FALSE(holds_gil(memory_, layout_, runtime_, state));
}

TEST_F(Walk, ListsThatRunInCirclesEnd) {
    const std::uintptr_t interpreter = memory_.add(512), one = thread(interpreter, 0, 1);
    memory_.put(runtime_ + layout_.runtime_interpreters, interpreter);
    memory_.put(interpreter + layout_.interpreter_next, interpreter);
    memory_.put(interpreter + layout_.interpreter_threads, one);
    memory_.put(one + layout_.thread_next, one);
    EXPECT_EQ(tids().size(), most_threads);
}

TEST_F(Walk, AThreadOfNoInterpreterIsNotBelieved) {
    const std::uintptr_t interpreter = memory_.add(512);
    memory_.put(runtime_ + layout_.runtime_interpreters, interpreter);
    memory_.put(interpreter + layout_.interpreter_threads, thread(runtime_, 0, 1));
    EXPECT_TRUE(tids().empty());
    EXPECT_FALSE(layout_holds(memory_, layout_, runtime_));
}

TEST(Layouts, AreKnownFrom38To314) {
    TestMemory memory;
    Layout layout;
    EXPECT_FALSE(find_layout(memory, 0, 0x03070000, layout));
    for (const std::uint32_t minor : {8U, 9U, 10U}) {
        ASSERT_TRUE(find_layout(memory, 0, 0x03000D00 | minor << 16U, layout)) << minor;
        EXPECT_EQ(layout.minor, minor);
    }
    EXPECT_FALSE(find_layout(memory, TestMemory::base, 0x030D0000, layout)) << "nothing to read";
    EXPECT_FALSE(find_layout(memory, TestMemory::base, 0x030F0000, layout));
}

// A table as 3.14 has it, with consistent figures.
std::uintptr_t add_table(TestMemory& memory, std::uint64_t free_threaded) {
    const DebugOffsetPlaces& at = places_3_14;
    const std::uint64_t head = free_threaded != 0 ? 32 : 16;
    const std::uintptr_t table = memory.add(at.end);
    memory.put_bytes(table, "xdebugpy");
    memory.put(table + 8, std::uint64_t{0x030E03F0});
    memory.put(table + at.free_threaded, free_threaded);
    memory.put(table + at.object_size, head);
    memory.put(table + at.object_type, head - 8);
    memory.put(table + at.bytes_size, head);
    memory.put(table + at.bytes_data, head + 16);
    memory.put(table + at.text_length, head);
    memory.put(table + at.text_ascii, head + 24);
    memory.put(table + at.text_size, head + 48);
    memory.put(table + at.thread_frame, std::uint64_t{72});
    memory.put(table + at.frame_bytecode_index, std::uint64_t{72});
    memory.put(table + at.code_thread_bytecode, std::uint64_t{168});
    return table;
}

TEST(Layouts, AnInterpretersOwnWordIsTaken) {
    TestMemory memory;
    const std::uintptr_t table = add_table(memory, 0);
    Layout layout;
    EXPECT_EQ(stated_version(memory, table), 0x030E03F0U);
    ASSERT_TRUE(find_layout(memory, table, 0x030E03F0, layout));
    EXPECT_EQ(layout.thread_frame, 72U);
    EXPECT_FALSE(layout.free_threaded);
    EXPECT_EQ(layout.frame_bytecode_index, 0U);
}

TEST(Layouts, AFreeThreadedBuildHasLargerObjectsAndBytecodeOfEachThread) {
    TestMemory memory;
    Layout layout;
    ASSERT_TRUE(find_layout(memory, add_table(memory, 1), 0x030E0000, layout));
    EXPECT_TRUE(layout.free_threaded);
    EXPECT_EQ(layout.frame_bytecode_index, 72U);
    EXPECT_EQ(layout.code_thread_bytecode, 168U);
    EXPECT_EQ(layout.text_kind_shift, 8U);
}

TEST(Layouts, ATableThatDoesNotHangTogetherIsRefused) {
    TestMemory memory;
    const std::uintptr_t table = add_table(memory, 0);
    Layout layout;
    memory.put(table + places_3_14.thread_frame, ~std::uint64_t{0});
    EXPECT_FALSE(find_layout(memory, table, 0x030E0000, layout));
    memory.put(table + places_3_14.thread_frame, std::uint64_t{72});
    memory.put(table + places_3_14.object_type, std::uint64_t{16});
    EXPECT_FALSE(find_layout(memory, table, 0x030E0000, layout));
}

}  // namespace
}  // namespace holdfast::frames
