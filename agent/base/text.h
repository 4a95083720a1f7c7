// A piece of text that belongs to somebody else. <string_view> cannot be used: its checked members
// need libstdc++, which the agent must not link.
#pragma once

#include <cstddef>
#include <cstring>

namespace holdfast::agent {

struct Text {
    const char* data = "";
    std::size_t size = 0;

    constexpr Text() = default;
    constexpr Text(const char* from, std::size_t length) : data(from), size(length) {}
    template <std::size_t N>
    constexpr Text(const char (&literal)[N]) : data(literal), size(N - 1) {}
    static Text of(const char* c_string) {
        return c_string ? Text(c_string, std::strlen(c_string)) : Text();
    }

    bool empty() const { return size == 0; }
    bool operator==(Text other) const {
        return size == other.size && std::memcmp(data, other.data, size) == 0;
    }
    bool starts_with(Text head) const {
        return size >= head.size && std::memcmp(data, head.data, head.size) == 0;
    }
    bool contains(Text part) const {
        return part.size == 0 || ::memmem(data, size, part.data, part.size) != nullptr;
    }
};

// Copies into a fixed field, cut where it must be, always terminated. Cuts before a UTF-8 sequence
// that would not fit whole.
template <std::size_t N>
void copy_text(char (&field)[N], Text text) {
    std::size_t size = text.size < N ? text.size : N - 1;
    if (size < text.size)
        while (size > 0 && (static_cast<unsigned char>(text.data[size]) & 0xC0U) == 0x80U) --size;
    std::memcpy(field, text.data, size);
    std::memset(field + size, 0, N - size);
}

}  // namespace holdfast::agent
