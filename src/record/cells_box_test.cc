#include "record/cells_box.h"

#include <gtest/gtest.h>

namespace holdfast {
namespace {

std::string box_of(const std::vector<std::string>& slots) {
    std::string bytes;
    for (const std::string& slot : slots) {
        bytes += slot;
        bytes.resize((bytes.size() + cell_slot_size - 1) / cell_slot_size * cell_slot_size);
    }
    return bytes;
}

const std::string kernel =
    "R {\"pid\": 42, \"python\": \"/env/bin/python\", \"info\": {\"banner\": \"x\"}, \"size\": "
    "0}\n";

std::string cell(char state, int count, const std::string& source) {
    return std::string(1, state) + " {\"count\": " + std::to_string(count) +
           ", \"file\": \"/tmp/k/" + std::to_string(count) +
           ".py\", \"request\": {\"msg_id\": \"m\"}, \"ident\": [\"6162\"], \"size\": " +
           std::to_string(source.size()) + "}\n" + source;
}

TEST(CellsBox, TellsTheRunningCellFromThoseThatEnded) {
    const auto read = parse_cells(box_of({kernel, cell('E', 7, "a = 1"), cell('R', 3, "b\nc")}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->pid, 42);
    EXPECT_EQ(read->python, "/env/bin/python");
    EXPECT_EQ(read->kernel_info, "{\"banner\":\"x\"}");
    ASSERT_EQ(read->cells.size(), 2U);
    EXPECT_EQ(read->cells[0].count, 3);
    EXPECT_TRUE(read->cells[0].running);
    EXPECT_EQ(read->cells[0].source, "b\nc");
    EXPECT_EQ(read->cells[0].request, "{\"msg_id\":\"m\"}");
    EXPECT_EQ(read->cells[0].ident, std::vector<std::string>{"6162"});
    EXPECT_FALSE(read->cells[1].running);
}

TEST(CellsBox, WhatAnEarlierCellLeftBehindTheSourceIsNotRead) {
    std::string used = cell('E', 1, "a much longer cell than the next one in this slot");
    const std::string next = cell('R', 2, "short");
    used.replace(0, next.size(), next);
    const auto read = parse_cells(box_of({kernel, used}));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->cells.at(0).source, "short");
}

TEST(CellsBox, DamageCostsOneSlotAndNotTheBox) {
    const auto read = parse_cells(
        box_of({kernel, "R {\"count\": ", "R [1]\nx", "X {}\n",
                "R {\"count\": \"no\", \"size\": 99999999}\nabc", cell('E', 5, "good")}));
    ASSERT_TRUE(read);
    ASSERT_EQ(read->cells.size(), 2U);
    EXPECT_EQ(read->cells[0].count, 0);
    EXPECT_EQ(read->cells[1].source, "good");
}

TEST(CellsBox, ABoxThatNoKernelWroteIsNone) {
    EXPECT_FALSE(parse_cells(""));
    EXPECT_FALSE(parse_cells("hello"));
    EXPECT_FALSE(parse_cells("R " + std::string(100, '[') + "\n"));
}

}  // namespace
}  // namespace holdfast
