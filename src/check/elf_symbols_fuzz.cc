// Symbol tables of files cut short, damaged and hostile: never a crash, never an endless loop.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "check/elf_symbols.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::check;
    const ReadAt read = [&](std::uint64_t offset, void* into, std::size_t length) {
        if (offset > size || length > size - offset) return false;
        std::memcpy(into, data + offset, length);
        return true;
    };
    (void)wanted_symbols(read);
    (void)defined_symbols(read, {"PyInit_codec", "malloc", ""});
    return 0;
}
