#include "frames/text.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <string>

#include "frames/elf_symbols.h"
#include "frames/stack_text.h"
#include "frames/static_layouts.h"
#include "frames/test_memory.h"

namespace holdfast::frames {
namespace {

constexpr const Layout& layout = layout_3_11;

std::string text_at(TestMemory& memory, std::uintptr_t at, std::size_t room = 256) {
    std::string out(room, '\0');
    out.resize(read_text(memory, layout, at, out.data(), room));
    return out;
}

TEST(Text, OfEveryWidth) {
    TestMemory memory;
    EXPECT_EQ(text_at(memory, memory.add_ascii(layout, "train.py")), "train.py");
    EXPECT_EQ(text_at(memory, memory.add_wide<std::uint8_t>(layout, {'c', 0xE9})), "c\u00e9");
    EXPECT_EQ(text_at(memory, memory.add_wide<std::uint16_t>(layout, {0x6A21, 0x578B})),
              "\u6a21\u578b");
    EXPECT_EQ(text_at(memory, memory.add_wide<std::uint32_t>(layout, {0x1F40D, 'x'})),
              "\U0001F40Dx");
}

TEST(Text, LongerThanOnePieceIsWhole) {
    TestMemory memory;
    const std::string text(200, 'y');
    EXPECT_EQ(text_at(memory, memory.add_ascii(layout, text)), text);
    const std::vector<std::uint32_t> wide(60, 0x1F40D);
    EXPECT_EQ(text_at(memory, memory.add_wide(layout, wide)).size(), 240U);
}

TEST(Text, WhatIsNoCharacterIsReplaced) {
    TestMemory memory;
    EXPECT_EQ(text_at(memory, memory.add_wide<std::uint16_t>(layout, {0xDC80, 'x'})), "\uFFFDx");
    EXPECT_EQ(text_at(memory, memory.add_wide<std::uint32_t>(layout, {0x110000})), "\uFFFD");
}

TEST(Text, IsCutBeforeACharacterWithoutRoom) {
    TestMemory memory;
    const std::uintptr_t at = memory.add_wide<std::uint16_t>(layout, {'a', 0x6A21});
    EXPECT_EQ(text_at(memory, at, 3), "a");
    EXPECT_EQ(text_at(memory, at, 4), "a\u6a21");
    EXPECT_EQ(text_at(memory, at, 0), "");
}

TEST(Text, OfASubclassLiesElsewhere) {
    TestMemory memory;
    const std::uintptr_t data = memory.add(16), at = memory.add(96);
    memory.put_bytes(data, "elsewhere");
    memory.put(at + layout.text_length, std::uint64_t{9});
    memory.put(at + layout.text_state, TestMemory::state(layout, 1, false, true));
    memory.put(at + layout.text_wide, data);
    EXPECT_EQ(text_at(memory, at), "elsewhere");
}

TEST(Text, NonsenseIsEmpty) {
    TestMemory memory;
    const std::uintptr_t at = memory.add_ascii(layout, "x");
    memory.put(at + layout.text_length, ~std::uint64_t{0});
    EXPECT_EQ(text_at(memory, at), "");
    memory.put(at + layout.text_state, TestMemory::state(layout, 3, true, false));
    EXPECT_EQ(text_at(memory, at), "");
    EXPECT_EQ(text_at(memory, 0), "");
    EXPECT_EQ(text_at(memory, 0xDEAD0000), "");
}

TEST(StackText, KeepsWholeLinesAndForgesNone) {
    char room[64];
    StackText text(room, sizeof room);
    EXPECT_TRUE(text.thread(7, "a\nT 8", 5));
    EXPECT_TRUE(text.frame(12, "x\t.py", 5, "f", 1));
    EXPECT_FALSE(text.frame(13, std::string(60, 'y').data(), 60, "g", 1));
    EXPECT_FALSE(text.frame(14, "z", 1, "h", 1)) << "after a gap nothing more";
    EXPECT_EQ(std::string(room, text.size()), "T 7 a?T 8\nF 12\tx?.py\tf\n");
}

struct FirstMapping {
    std::string_view part;
    std::uintptr_t start;
};

int find_library(dl_phdr_info* info, std::size_t, void* out) {
    auto& wanted = *static_cast<FirstMapping*>(out);
    if (std::string_view(info->dlpi_name).find(wanted.part) == std::string_view::npos) return 0;
    wanted.start = info->dlpi_addr;
    return 1;
}

TEST(ElfSymbols, AreFoundWhereTheLoaderFindsThem) {
    FirstMapping libc{"libc.so", 0};
    ASSERT_EQ(::dl_iterate_phdr(find_library, &libc), 1);
    TrustedMemory memory;
    ElfSymbols symbols;
    ASSERT_TRUE(symbols.open(memory, libc.start));
    // Asks libc itself: a sanitizer, or a copy in the program, may come first in the search order.
    void* library = ::dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    for (const char* name : {"getpid", "environ", "strtol", "stdout"})
        EXPECT_EQ(symbols.find(memory, name),
                  reinterpret_cast<std::uintptr_t>(::dlsym(library, name)))
            << name;
    ::dlclose(library);
    EXPECT_EQ(symbols.find(memory, "_PyRuntime"), 0U);
    EXPECT_EQ(symbols.find(memory, ""), 0U);
}

}  // namespace
}  // namespace holdfast::frames
