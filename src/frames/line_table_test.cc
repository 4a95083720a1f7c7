// Line tables written by hand. tests/test_python_stacks.py compares the decoder with what real
// interpreters report for their whole standard library.
#include "frames/line_table.h"

#include <gtest/gtest.h>

#include <string>

#include "frames/static_layouts.h"
#include "frames/test_memory.h"

namespace holdfast::frames {
namespace {

std::uint32_t line(const Layout& layout, std::string_view table, std::int32_t first_line,
                   std::int64_t instruction) {
    TestMemory memory;
    const std::uintptr_t code = memory.add(256);
    memory.put(code + layout.code_first_line, first_line);
    memory.put(code + layout.code_lines, memory.add_bytes(layout, table));
    return line_of(memory, layout, code, instruction);
}

std::string entry(unsigned kind, unsigned units, std::string_view rest = {}) {
    return std::string(1, static_cast<char>(0x80U | kind << 3U | (units - 1))) + std::string(rest);
}

TEST(StepsOf38, EachBeginsALine) {
    const std::string_view table("\x04\x01\x06\x02\x02\xFD", 6);
    for (const Layout& layout : {layout_3_8, layout_3_9}) {
        EXPECT_EQ(line(layout, table, 10, 0), 10U);
        EXPECT_EQ(line(layout, table, 10, 2), 10U);
        EXPECT_EQ(line(layout, table, 10, 4), 11U);
        EXPECT_EQ(line(layout, table, 10, 8), 11U);
        EXPECT_EQ(line(layout, table, 10, 10), 13U);
        EXPECT_EQ(line(layout, table, 10, 12), 10U) << "three lines back";
        EXPECT_EQ(line(layout, table, 10, 500), 10U) << "the last one has no end";
    }
}

TEST(StepsOf38, StepsTooLargeForAByteComeInParts) {
    EXPECT_EQ(line(layout_3_8, {"\x02\x7F\x00\x7F\x00\x05", 6}, 1, 2), 1U + 127 + 127 + 5);
    EXPECT_EQ(line(layout_3_8, {"\xFF\x00\x01\x01", 4}, 1, 254), 1U);
    EXPECT_EQ(line(layout_3_8, {"\xFF\x00\x01\x01", 4}, 1, 256), 2U);
}

TEST(PairsOf310, EachCoversItsBytes) {
    const std::string_view table("\x04\x00\x06\x01\x02\x80\x02\xFE", 8);
    EXPECT_EQ(line(layout_3_10, table, 10, 0), 10U);
    EXPECT_EQ(line(layout_3_10, table, 10, 3), 10U);
    EXPECT_EQ(line(layout_3_10, table, 10, 4), 11U);
    EXPECT_EQ(line(layout_3_10, table, 10, 9), 11U);
    EXPECT_EQ(line(layout_3_10, table, 10, 10), 0U) << "an instruction without a line";
    EXPECT_EQ(line(layout_3_10, table, 10, 12), 9U) << "counted from the last line there was";
    EXPECT_EQ(line(layout_3_10, table, 10, 14), 0U) << "past the end";
}

TEST(PairsOf310, StepsTooLargeForAByteComeInParts) {
    EXPECT_EQ(line(layout_3_10, {"\x00\x7F\x00\x7F\x02\x05", 6}, 1, 0), 1U + 127 + 127 + 5);
    EXPECT_EQ(line(layout_3_10, {"\xFE\x00\x0A\x00\x02\x01", 6}, 1, 264), 2U);
}

TEST(PairsOf310, AnOddByteAtTheEndIsNoEntry) {
    EXPECT_EQ(line(layout_3_10, {"\x02\x01\x02", 3}, 1, 2), 0U);
}

TEST(EntriesFrom311, EachKindMovesTheLineItsOwnWay) {
    const std::string table = entry(15, 1) +                     // no line
                              entry(0, 8, "\x12") +              // short: the same line
                              entry(11, 1, "\x01\x02") +         // one line on
                              entry(12, 2, "\x01\x02") +         // two lines on
                              entry(13, 1, "\x03") +             // one back
                              entry(14, 1, "\x04\x01\x02\x03");  // long form, two on
    const auto at = [&](std::int64_t unit) { return line(layout_3_11, table, 100, 2 * unit); };
    EXPECT_EQ(at(0), 0U);
    EXPECT_EQ(at(1), 100U);
    EXPECT_EQ(at(8), 100U);
    EXPECT_EQ(at(9), 101U);
    EXPECT_EQ(at(10), 103U);
    EXPECT_EQ(at(11), 103U);
    EXPECT_EQ(at(12), 102U);
    EXPECT_EQ(at(13), 104U);
    EXPECT_EQ(at(14), 0U);
}

TEST(EntriesFrom311, NumbersOfSeveralBytes) {
    // 2 * 1000 = 0b11111'010000: six low bits first, each byte but the last marked.
    EXPECT_EQ(line(layout_3_12, entry(13, 1, "\x50\x1F"), 1, 0), 1001U);
}

TEST(EntriesFrom311, ANumberCutShortDoesNotEatTheNextEntry) {
    const std::string table = entry(13, 1, "\x42") + entry(11, 1, "\x01\x02");
    EXPECT_EQ(line(layout_3_12, table, 1, 2), 1U + 1 + 1);
}

TEST(LineOf, WhatHasNotBegunIsAtItsFirstLine) {
    EXPECT_EQ(line(layout_3_10, {"\x02\x05", 2}, 7, -2), 7U);
    EXPECT_EQ(line(layout_3_11, entry(0, 1, "\x12"), 7, -1), 7U);
}

TEST(LineOf, ATableOfImpossibleSizeIsNotRead) {
    TestMemory memory;
    const std::uintptr_t code = memory.add(256);
    const std::uintptr_t table = memory.add_bytes(layout_3_11, entry(0, 1, "\x12"));
    memory.put(table + layout_3_11.bytes_size, std::uint64_t{1} << 40U);
    memory.put(code + layout_3_11.code_lines, table);
    memory.put(code + layout_3_11.code_first_line, std::int32_t{1});
    EXPECT_EQ(line_of(memory, layout_3_11, code, 0), 0U);
}

TEST(LineOf, ATableThatCannotBeReadHasNoLines) {
    TestMemory memory;
    const std::uintptr_t code = memory.add(256);
    memory.put(code + layout_3_11.code_lines, std::uintptr_t{0xDEAD0000});
    EXPECT_EQ(line_of(memory, layout_3_11, code, 0), 0U);
    EXPECT_EQ(line_of(memory, layout_3_11, 0xDEAD0000, 0), 0U);
}

}  // namespace
}  // namespace holdfast::frames
