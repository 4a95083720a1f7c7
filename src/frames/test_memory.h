// Memory made by hand for the tests of this folder: a few kibibytes from a fixed address on.
#pragma once

#include <cstring>
#include <string_view>
#include <vector>

#include "frames/layout.h"

namespace holdfast::frames {

class TestMemory {
public:
    static constexpr std::uintptr_t base = 0x10000;

    bool read(std::uintptr_t at, void* into, std::size_t size) {
        if (at < base || at - base > bytes_.size() || size > bytes_.size() - (at - base))
            return false;
        std::memcpy(into, bytes_.data() + (at - base), size);
        return true;
    }

    // Adds room of its own, aligned to 16 bytes.
    std::uintptr_t add(std::size_t size) {
        const std::uintptr_t at = base + bytes_.size();
        bytes_.resize(bytes_.size() + (size + 31) / 16 * 16);
        return at;
    }
    template <class T>
    void put(std::uintptr_t at, T value) {
        std::memcpy(bytes_.data() + (at - base), &value, sizeof value);
    }
    void put_bytes(std::uintptr_t at, std::string_view bytes) {
        std::memcpy(bytes_.data() + (at - base), bytes.data(), bytes.size());
    }

    std::uintptr_t add_bytes(const Layout& layout, std::string_view bytes) {
        const std::uintptr_t at = add(layout.bytes_data + bytes.size() + 1);
        put(at + layout.bytes_size, std::uint64_t{bytes.size()});
        put_bytes(at + layout.bytes_data, bytes);
        return at;
    }
    std::uintptr_t add_ascii(const Layout& layout, std::string_view text) {
        const std::uintptr_t at = add(layout.text_ascii + text.size() + 1);
        put(at + layout.text_length, std::uint64_t{text.size()});
        put(at + layout.text_state, state(layout, 1, true, true));
        put_bytes(at + layout.text_ascii, text);
        return at;
    }
    template <class Character>
    std::uintptr_t add_wide(const Layout& layout, const std::vector<Character>& text) {
        const std::uintptr_t at = add(layout.text_wide + (text.size() + 1) * sizeof(Character));
        put(at + layout.text_length, std::uint64_t{text.size()});
        put(at + layout.text_state, state(layout, sizeof(Character), true, false));
        for (std::size_t i = 0; i < text.size(); ++i)
            put(at + layout.text_wide + i * sizeof(Character), text[i]);
        return at;
    }
    static std::uint32_t state(const Layout& layout, std::size_t kind, bool compact, bool ascii) {
        const auto bits =
            static_cast<std::uint32_t>(kind) | (compact ? 8U : 0U) | (ascii ? 16U : 0U);
        return bits << layout.text_kind_shift;
    }
    const std::vector<unsigned char>& bytes() const { return bytes_; }

private:
    std::vector<unsigned char> bytes_;
};

}  // namespace holdfast::frames
