#include "native/cfi.h"

#include <gtest/gtest.h>

#include <map>

#include "native/cfi_step.h"
#include "native/cfi_table.h"

namespace holdfast {
namespace {

using Kind = CfiRule::Kind;
using format::CrashMachine;

constexpr unsigned rbp = 6, rsp = 7, rip = 16;

// push rbp; mov rbp, rsp: after the first the CFA is 8 bytes further, after the second it is
// relative to rbp.
const CfiTable with_frame_pointer(CfiTable::x86_64_start(),
                                  {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6});

class Memory {
public:
    explicit Memory(std::map<std::uint64_t, std::uint64_t> words) : words_(std::move(words)) {}
    ReadMemory reader() const {
        return [this](std::uint64_t address) -> std::optional<std::uint64_t> {
            const auto found = words_.find(address);
            if (found == words_.end()) return std::nullopt;
            return found->second;
        };
    }

private:
    std::map<std::uint64_t, std::uint64_t> words_;
};

const Memory nothing{std::map<std::uint64_t, std::uint64_t>{}};

CfiState state(std::initializer_list<std::pair<unsigned, std::uint64_t>> values) {
    CfiState at;
    for (const auto& [number, value] : values) at.registers[number] = value;
    return at;
}

TEST(CfiTest, TheRuleChangesAlongTheFunction) {
    const auto first = with_frame_pointer.row(0);
    ASSERT_TRUE(first);
    EXPECT_EQ(first->cfa.from, rsp);
    EXPECT_EQ(first->cfa.offset, 8);
    EXPECT_EQ(first->registers[rip].kind, Kind::at_cfa);
    EXPECT_EQ(first->registers[rip].offset, -8);
    EXPECT_EQ(first->registers[rbp].kind, Kind::unsaid);

    const auto pushed = with_frame_pointer.row(1);
    ASSERT_TRUE(pushed);
    EXPECT_EQ(pushed->cfa.from, rsp);
    EXPECT_EQ(pushed->cfa.offset, 16);
    EXPECT_EQ(pushed->registers[rbp].offset, -16);

    const auto moved = with_frame_pointer.row(31);
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->cfa.from, rbp);
    EXPECT_EQ(moved->cfa.offset, 16);
}

TEST(CfiTest, NothingOutsideOfAFunction) {
    EXPECT_FALSE(find_cfi(with_frame_pointer.reader(), CfiTable::header, CfiTable::function - 1));
    EXPECT_FALSE(with_frame_pointer.row(CfiTable::function_size));
}

TEST(CfiTest, AnEarlyReturnRemembersAndGoesBack) {
    // remember_state; pop rbp: the CFA is rsp + 8 and rbp is restored; restore_state after the
    // return.
    const CfiTable table(CfiTable::x86_64_start(),
                         {0x0e, 16, 0x86, 2, 0x44, 0x0a, 0x0e, 8, 0xc6, 0x41, 0x0b});
    EXPECT_EQ(table.row(4)->cfa.offset, 8);
    EXPECT_EQ(table.row(4)->registers[rbp].kind, Kind::unsaid);
    EXPECT_EQ(table.row(5)->cfa.offset, 16);
    EXPECT_EQ(table.row(5)->registers[rbp].kind, Kind::at_cfa);
}

TEST(CfiTest, AnInstructionNobodyKnowsIsNoRow) {
    EXPECT_FALSE(CfiTable(CfiTable::x86_64_start(), {0x3e}).row(0));
    EXPECT_FALSE(CfiTable(CfiTable::x86_64_start(), {0x0b}).row(0));  // nothing was remembered
    EXPECT_FALSE(CfiTable(CfiTable::x86_64_start(), {0x0c, 40, 8}).row(0));  // no such register
}

TEST(CfiTest, AFrameOfTheKernelIsKnownAsSuch) {
    EXPECT_TRUE(CfiTable(CfiTable::x86_64_start(), {}, 16, "zRS").row(0)->signal_frame);
    EXPECT_FALSE(CfiTable(CfiTable::x86_64_start(), {}).row(0)->signal_frame);
}

TEST(CfiTest, OfATableCutShortNothingIsMadeUp) {
    const auto whole = with_frame_pointer.row(31);
    const CfiTable::Bytes& bytes = with_frame_pointer.bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const CfiTable::Bytes part(bytes.begin(),
                                   bytes.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(find_cfi(CfiTable::reader_of(part), CfiTable::header, CfiTable::function + 31))
            << size;
    }
    EXPECT_TRUE(whole);
}

TEST(CfiStepTest, FindsTheCallersRegisters) {
    const Memory memory({{0x7000, 0x7100}, {0x7008, 0x4abc}});
    const auto caller = cfi_caller(*with_frame_pointer.row(31),
                                   state({{rbp, 0x7000}, {rsp, 0x6f00}, {3, 33}, {0, 1}}),
                                   CrashMachine::x86_64, memory.reader());
    ASSERT_TRUE(caller);
    EXPECT_EQ(caller->pc, 0x4abcU);
    EXPECT_EQ(caller->registers[rsp], 0x7010U);
    EXPECT_EQ(caller->registers[rbp], 0x7100U);
    EXPECT_EQ(caller->registers[3], 33U);           // calls preserve rbx
    EXPECT_EQ(caller->registers[0], std::nullopt);  // but not rax
}

TEST(CfiStepTest, WithoutTheMemoryThereIsNoCaller) {
    EXPECT_FALSE(cfi_caller(*with_frame_pointer.row(0), state({{rsp, 0x7000}}),
                            CrashMachine::x86_64, nothing.reader()));
    EXPECT_FALSE(
        cfi_caller(*with_frame_pointer.row(0), CfiState{}, CrashMachine::x86_64, nothing.reader()));
}

TEST(CfiStepTest, AnUndefinedReturnAddressIsTheEnd) {
    const CfiTable start(CfiTable::x86_64_start(), {0x07, 16});
    const Memory memory({{0x7000, 0x4abc}, {0x7008, 0}});
    EXPECT_FALSE(
        cfi_caller(*start.row(0), state({{rsp, 0x7000}}), CrashMachine::x86_64, memory.reader()));
}

TEST(CfiStepTest, ALeafOfAarch64ReturnsByItsLinkRegister) {
    const CfiTable leaf({0x0c, 31, 0}, {0x2d}, 30);
    const auto caller = cfi_caller(
        *leaf.row(0), state({{31, 0x7000}, {30, 0x0012'0000'0000'4abc}, {19, 5}, {9, 6}}),
        CrashMachine::aarch64, nothing.reader());
    ASSERT_TRUE(caller);
    EXPECT_EQ(caller->pc, 0x0002'0000'0000'4abcU);
    EXPECT_EQ(caller->registers[31], 0x7000U);
    EXPECT_EQ(caller->registers[19], 5U);
    EXPECT_EQ(caller->registers[9], std::nullopt);
    EXPECT_EQ(caller->registers[30], std::nullopt);
}

std::optional<std::uint64_t> value_of(std::vector<unsigned> code, const CfiState& at = {}) {
    std::vector<std::byte> bytes;
    for (const unsigned byte : code) bytes.push_back(static_cast<std::byte>(byte));
    const Memory memory({{0x7000, 0x1122'3344'5566'7788}, {0x7008, 0}});
    return cfi_value(bytes, at, memory.reader(), std::nullopt);
}

TEST(CfiExpressionTest, AnEntryOfTheProcedureLinkageTable) {
    // rsp + 8, and 8 more from the second of its three instructions on, which has pushed by then.
    const std::vector<unsigned> code{0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    EXPECT_EQ(value_of(code, state({{rsp, 0x7000}, {rip, 0x4020}})), 0x7008U);
    EXPECT_EQ(value_of(code, state({{rsp, 0x7000}, {rip, 0x402b}})), 0x7010U);
}

TEST(CfiExpressionTest, ReadsMemoryWholeAndInPart) {
    EXPECT_EQ(value_of({0x0a, 0x00, 0x70, 0x06}), 0x1122'3344'5566'7788U);
    EXPECT_EQ(value_of({0x0a, 0x00, 0x70, 0x94, 2}), 0x7788U);
    EXPECT_FALSE(value_of({0x30, 0x06}));  // the memory there is unknown
}

TEST(CfiExpressionTest, DamageEnds) {
    EXPECT_FALSE(value_of({}));
    EXPECT_FALSE(value_of({0x22}));                    // nothing to add
    EXPECT_FALSE(value_of({0x30, 0x2f, 0xfc, 0xff}));  // an endless loop
    EXPECT_FALSE(value_of({0x2f, 0x00, 0x40}));        // far away
    EXPECT_FALSE(value_of({0x77, 8}));                 // rsp is not known
    EXPECT_FALSE(value_of({0xff}));
}

}  // namespace
}  // namespace holdfast
