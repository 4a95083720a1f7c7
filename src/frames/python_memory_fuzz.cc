// A process's memory, all of it chosen by an attacker: layouts, lists, frames, tables, strings,
// ELF.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "frames/describe.h"
#include "frames/elf_symbols.h"
#include "frames/known_layouts.h"

namespace {

using namespace holdfast::frames;

constexpr std::uintptr_t base = 0x10000;

struct InputMemory {
    const unsigned char* data;
    std::size_t size;
    bool read(std::uintptr_t at, void* into, std::size_t count) const {
        if (at < base || at - base > size || count > size - (at - base)) return false;
        std::memcpy(into, data + (at - base), count);
        return true;
    }
};

bool is_utf8(const char* text, std::size_t size) {
    for (std::size_t i = 0; i < size;) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (lead >= 0xF8 || (lead >= 0x80 && lead < 0xC2) || length > size - i) return false;
        for (std::size_t k = 1; k < length; ++k)
            if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return false;
        i += length;
    }
    return true;
}

void read_all(InputMemory& input, const Layout& layout) {
    CachedMemory<InputMemory, 16, 64> memory(input, 200'000);
    Description words;
    std::size_t frames = 0;
    each_thread(memory, layout, base, [&](const ThreadState& thread) {
        (void)holds_gil(memory, layout, base, thread);
        std::size_t depth = 0;
        walk_frames(memory, layout, 0, current_frame(memory, layout, thread.address),
                    [&](const Place& place) {
                        if (describe(memory, layout, 0, place, words)) {
                            if (words.file_size > sizeof words.file ||
                                words.function_size > sizeof words.function ||
                                !is_utf8(words.file, words.file_size) ||
                                !is_utf8(words.function, words.function_size))
                                std::abort();
                        }
                        return ++depth < 64 && ++frames < 512;
                    });
        return frames < 512;
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    if (size == 0) return 0;
    constexpr std::uint32_t versions[] = {0x030A0000, 0x030B0000, 0x030C0000, 0x030D0000,
                                          0x030E0000};
    InputMemory input{data + 1, size - 1};
    Layout layout;
    if (find_layout(input, base, versions[data[0] % 5], layout)) read_all(input, layout);
    ElfSymbols symbols;
    if (symbols.open(input, base))
        for (const char* name : {"_PyRuntime", "PyCode_Type"}) {
            const std::uintptr_t at = symbols.find(input, name);
            if (at != 0 && symbols.find(input, name) != at) std::abort();
        }
    struct {
        InputMemory& input;
        bool read(std::uintptr_t at, void* into, std::size_t count) const {
            return input.read(base + at, into, count);
        }
    } file{input};
    (void)find_section(file, ".PyRuntime");
    return 0;
}
