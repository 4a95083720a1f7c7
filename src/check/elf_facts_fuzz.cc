// ELF files cut short, damaged and hostile: never a crash, never a read beyond the bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "check/elf_facts.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::check;
    const auto facts = parse_elf(std::string_view(reinterpret_cast<const char*>(data), size));
    if (facts) (void)elf_from_text(to_text(*facts));
    return 0;
}
