// A Python string as UTF-8, read from memory that may contain anything.
#pragma once

#include <cstddef>
#include <cstdint>

#include "frames/layout.h"
#include "frames/memory.h"

namespace holdfast::frames {

// Writes one character; 0 if it does not fit. Half a surrogate pair (Python uses it for a byte of a
// file name that is not UTF-8) and an invalid character become U+FFFD.
inline std::size_t put_utf8(std::uint32_t character, char* out, std::size_t room) {
    if ((character >= 0xD800 && character < 0xE000) || character > 0x10FFFF) character = 0xFFFD;
    const std::size_t size = character < 0x80      ? 1
                             : character < 0x800   ? 2
                             : character < 0x10000 ? 3
                                                   : 4;
    if (size > room) return 0;
    if (size == 1) {
        out[0] = static_cast<char>(character);
        return 1;
    }
    for (std::size_t i = size - 1; i > 0; --i) {
        out[i] = static_cast<char>(0x80U | (character & 0x3FU));
        character >>= 6U;
    }
    constexpr unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = static_cast<char>(lead[size] | character);
    return size;
}

// Returns how many bytes were written, without a terminator; never writes half a character.
template <class Memory>
std::size_t read_text(Memory& memory, const Layout& layout, std::uintptr_t object, char* out,
                      std::size_t room) {
    std::uint64_t length = 0;
    std::uint32_t state = 0;
    if (object == 0 || !load(memory, object + layout.text_length, length) ||
        !load(memory, object + layout.text_state, state))
        return 0;
    state >>= layout.text_kind_shift;
    const std::size_t width = state & 7U;
    const bool compact = (state & 8U) != 0, ascii = (state & 16U) != 0;
    if (width != 1 && width != 2 && width != 4) return 0;
    std::uintptr_t data = object + (compact && ascii ? layout.text_ascii : layout.text_wide);
    // A subclass of str, or a string of the old API, keeps its characters elsewhere.
    if (!compact && !load(memory, data, data)) return 0;

    std::size_t written = 0;
    unsigned char buffer[128];
    while (length > 0 && written < room) {
        const std::size_t most = sizeof buffer / width;
        const std::size_t part = length < most ? length : most;
        if (!memory.read(data, buffer, part * width)) break;
        for (std::size_t i = 0; i < part; ++i) {
            std::uint32_t character = 0;
            std::memcpy(&character, buffer + i * width, width);
            const std::size_t size = put_utf8(character, out + written, room - written);
            if (size == 0) return written;
            written += size;
        }
        data += part * width;
        length -= part;
    }
    return written;
}

}  // namespace holdfast::frames
