// The pure parsers: headers of .npy and tar, lines of CSV and JSON.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "loader/csv.h"
#include "loader/json_numbers.h"
#include "loader/line_index.h"
#include "loader/npy.h"
#include "loader/tar.h"

namespace holdfast::loader {
namespace {

std::string npy_file(const std::string& header) {
    std::string text("\x93NUMPY\x01\x00", 8);
    text += static_cast<char>(header.size());
    text += '\0';
    return text + header;
}

TEST(Npy, ReadsShapeAndType) {
    const auto npy =
        parse_npy(npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': (10, 3, 2), }\n"));
    ASSERT_TRUE(npy);
    EXPECT_EQ(npy->dtype, "<f4");
    EXPECT_EQ(npy->item_bytes, 4U);
    EXPECT_EQ(npy->shape, (std::vector<std::uint64_t>{10, 3, 2}));
    EXPECT_EQ(npy->data_offset, 10U + 64U);
}

TEST(Npy, RefusesWhatHasNoSamplesInOnePiece) {
    EXPECT_FALSE(
        parse_npy(npy_file("{'descr': '<f4', 'fortran_order': True, 'shape': (10, 3), }")));
    EXPECT_FALSE(parse_npy(npy_file("{'descr': '|O', 'fortran_order': False, 'shape': (10,), }")));
    EXPECT_FALSE(
        parse_npy(npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (10,), }")));
    EXPECT_FALSE(parse_npy("\x93NUMPY"));
    // One dimension has no order.
    EXPECT_TRUE(parse_npy(npy_file("{'descr': '<f4', 'fortran_order': True, 'shape': (10,), }")));
}

TEST(Csv, TakesQuotedCellsApart) {
    EXPECT_EQ(csv_cells("a,\"b,c\",\"d\"\"e\",", ','),
              (std::vector<std::string>{"a", "b,c", "d\"e", ""}));
    EXPECT_EQ(csv_cells("", ','), (std::vector<std::string>{""}));
}

TEST(Csv, NumbersAsPeopleWriteThem) {
    EXPECT_EQ(csv_number("1.5"), 1.5);
    EXPECT_EQ(csv_number(" +2 "), 2.0);
    EXPECT_EQ(csv_number("-1e3"), -1000.0);
    EXPECT_TRUE(std::isnan(*csv_number("")));
    EXPECT_TRUE(std::isnan(*csv_number("NA")));
    EXPECT_TRUE(std::isinf(*csv_number("1e999")));
    EXPECT_FALSE(csv_number("red"));
    EXPECT_FALSE(csv_number("1.5x"));
}

TEST(Csv, PlainNumbersAreThoseOfTheSlowWay) {
    for (const std::string text : {"0",
                                   "-0",
                                   "1.5",
                                   "-3.25",
                                   "0.1",
                                   "123456789012345",
                                   "0.123456789012345",
                                   "7.",
                                   ".5",
                                   "-.5",
                                   "1234567890123456",
                                   "0.1234567890123456",
                                   "1e3",
                                   "+1",
                                   "",
                                   "-",
                                   ".",
                                   "-.",
                                   "nan",
                                   "1.2.3",
                                   " 1",
                                   "1 ",
                                   "\"1\"",
                                   "1x"}) {
        CsvLine line(text, ',');
        if (const auto value = line.plain_number()) {
            EXPECT_EQ(*value, *csv_number(text)) << text;
            EXPECT_FALSE(line.next()) << text;
        } else {
            const auto cell = line.next();
            ASSERT_TRUE(cell) << text;
            EXPECT_EQ(*cell, text == "\"1\"" ? "1" : text);
        }
    }
    CsvLine line("12,-0.5,x,", ',');
    EXPECT_EQ(line.plain_number(), 12.0);
    EXPECT_EQ(line.plain_number(), -0.5);
    EXPECT_FALSE(line.plain_number());
    EXPECT_EQ(line.next(), "x");
    EXPECT_FALSE(line.plain_number());
    EXPECT_EQ(line.next(), "");
    EXPECT_FALSE(line.plain_number());
    EXPECT_FALSE(line.next());
}

TEST(LineEnd, ABreakInQuotesIsNone) {
    const std::string text = "a,\"b\nc\"\nd";
    bool in_quotes = false;
    EXPECT_EQ(line_end(text, 0, true, in_quotes), 7U);
    EXPECT_FALSE(in_quotes);
    EXPECT_EQ(line_end(text, 0, false, in_quotes), 4U);
    // A quotation that begins in one piece may end in the next.
    in_quotes = false;
    EXPECT_EQ(line_end("a,\"b", 0, true, in_quotes), std::string::npos);
    EXPECT_TRUE(in_quotes);
    EXPECT_EQ(line_end("c\"\n", 0, true, in_quotes), 2U);
}

TEST(JsonNumbers, ReadsMembersInAnyOrderAndSkipsTheRest) {
    float x[2] = {};
    std::int64_t y = 0;
    const WantedMember wanted[] = {{"x", 2, false, reinterpret_cast<std::byte*>(x)},
                                   {"y", 1, true, reinterpret_cast<std::byte*>(&y)}};
    ASSERT_TRUE(read_members(R"({"y": 7, "t": "a\"}", "o": {"x": [1]}, "x": [1.5, -2]})", wanted));
    EXPECT_EQ(x[0], 1.5F);
    EXPECT_EQ(x[1], -2.0F);
    EXPECT_EQ(y, 7);
    EXPECT_FALSE(read_members(R"({"y": 7})", wanted));
    EXPECT_FALSE(read_members(R"({"y": 7.5, "x": [1, 2]})", wanted));
    EXPECT_FALSE(read_members(R"({"y": 7, "x": [1, 2, 3]})", wanted));
    EXPECT_FALSE(read_members(R"({"y": 7, "x": [1, 2]} trailing)", wanted));
}

TEST(JsonNumbers, SeesShapes) {
    const auto seen = look_at_members(R"({"a": [[1, 2], [3, 4], [5, 6.5]], "b": 3, "c": "text"})");
    ASSERT_TRUE(seen);
    EXPECT_EQ((*seen)[0].shape, (std::vector<std::uint64_t>{3, 2}));
    EXPECT_FALSE((*seen)[0].whole);
    EXPECT_TRUE((*seen)[1].shape.empty());
    EXPECT_TRUE((*seen)[1].whole);
    EXPECT_FALSE((*seen)[2].numbers);
}

std::string tar_header(const std::string& name, const std::string& size, char type = '0') {
    std::string block(512, '\0');
    block.replace(0, name.size(), name);
    block.replace(124, size.size(), size);
    block[156] = type;
    block.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    char text[8];
    std::snprintf(text, sizeof text, "%06o", sum);
    block.replace(148, 7, std::string(text, 7));
    return block;
}

TEST(Tar, ReadsHeaders) {
    const auto header = parse_tar_header(tar_header("a/b.c.jpg", "00000001750"));
    ASSERT_TRUE(header);
    EXPECT_EQ(header->name, "a/b.c.jpg");
    EXPECT_EQ(header->size, 1000U);
    EXPECT_TRUE(parse_tar_header(std::string(512, '\0'))->end);
    std::string damaged = tar_header("a", "00000001750");
    damaged[0] = 'b';
    EXPECT_FALSE(parse_tar_header(damaged));
}

TEST(Tar, TheKeyEndsAtTheFirstDotOfTheName) {
    EXPECT_EQ(tar_key("x.y/b.c.jpg").key, "x.y/b");
    EXPECT_EQ(tar_key("x.y/b.c.jpg").ending, "c.jpg");
    EXPECT_EQ(tar_key("plain").ending, "");
}

TEST(Tar, PaxHeadersTellLongNamesAndSizes) {
    const PaxFields pax = parse_pax("16 path=a/b.jpg\n13 size=1234\n");
    EXPECT_EQ(pax.path, "a/b.jpg");
    EXPECT_EQ(pax.size, 1234U);
    EXPECT_FALSE(parse_pax("999 path=x\n").path);
}

}  // namespace
}  // namespace holdfast::loader
