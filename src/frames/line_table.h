// From an instruction to its line: the three table formats that code objects have carried
// since 3.8.
#pragma once

#include <cstdint>

#include "frames/layout.h"
#include "frames/memory.h"

namespace holdfast::frames {

// Reads a bytes object forward in small pieces. Cuts a table that is longer than any real one.
template <class Memory>
class BytesReader {
public:
    static constexpr std::uint64_t longest = 8U << 20U;

    BytesReader(Memory& memory, const Layout& layout, std::uintptr_t object) : memory_(memory) {
        std::uint64_t size = 0;
        if (object == 0 || !load(memory, object + layout.bytes_size, size)) return;
        left_ = size <= longest ? size : 0;
        at_ = object + layout.bytes_data;
    }

    bool peek(std::uint8_t& byte) {
        if (next_ == end_ && !fill()) return false;
        byte = buffer_[next_];
        return true;
    }
    bool take(std::uint8_t& byte) {
        if (!peek(byte)) return false;
        ++next_;
        return true;
    }

private:
    bool fill() {
        if (left_ == 0) return false;
        const std::size_t size = left_ < sizeof buffer_ ? left_ : sizeof buffer_;
        if (!memory_.read(at_, buffer_, size)) {
            left_ = 0;
            return false;
        }
        at_ += size;
        left_ -= size;
        next_ = 0;
        end_ = size;
        return true;
    }

    Memory& memory_;
    std::uintptr_t at_ = 0;
    std::uint64_t left_ = 0;
    std::size_t next_ = 0, end_ = 0;
    std::uint8_t buffer_[128];
};

inline std::uint32_t as_line(std::int64_t line) {
    return line > 0 && line <= 0x7FFFFFFF ? static_cast<std::uint32_t>(line) : 0;
}

// 3.8 and 3.9: pairs of bytes, how far to advance in the code and how many lines. A longer step
// takes several pairs, in which one of the two is zero.
template <class Memory>
std::uint32_t line_from_steps(BytesReader<Memory>& table, std::int64_t first_line,
                              std::int64_t instruction) {
    std::int64_t line = first_line, begin = 0;
    std::uint8_t length = 0, step = 0;
    while (table.take(length) && table.take(step)) {
        begin += length;
        if (begin > instruction) break;
        line += static_cast<std::int8_t>(step);
    }
    return as_line(line);
}

// 3.10: pairs of bytes, a range of code and how many lines to advance; -128 means "no line".
template <class Memory>
std::uint32_t line_from_pairs(BytesReader<Memory>& table, std::int64_t first_line,
                              std::int64_t instruction) {
    std::int64_t line = first_line, end = 0;
    std::uint8_t length = 0, step = 0;
    while (table.take(length) && table.take(step)) {
        const auto lines = static_cast<std::int8_t>(step);
        end += length;
        if (lines != -128) line += lines;
        if (instruction < end) return lines == -128 ? 0 : as_line(line);
    }
    return 0;
}

template <class Memory>
std::int64_t take_signed(BytesReader<Memory>& table) {
    std::uint64_t value = 0;
    std::uint8_t byte = 0;
    // A number that is cut short ends at the next entry, whose first byte has its highest bit set.
    for (unsigned shift = 0; shift < 36 && table.peek(byte) && (byte & 0x80U) == 0; shift += 6) {
        table.take(byte);
        value |= std::uint64_t{byte & 0x3FU} << shift;
        if ((byte & 0x40U) == 0) break;
    }
    const auto size = static_cast<std::int64_t>(value >> 1U);
    return (value & 1U) != 0 ? -size : size;
}

// From 3.11 on: an entry's first byte has its highest bit set, then four bits of kind and three of
// length.
template <class Memory>
std::uint32_t line_from_entries(BytesReader<Memory>& table, std::int64_t first_line,
                                std::int64_t instruction) {
    std::int64_t line = first_line, end = 0;
    std::uint8_t byte = 0;
    while (table.take(byte)) {
        const unsigned kind = (byte >> 3U) & 15U;
        end += 2 * ((byte & 7U) + 1);
        if (kind == 13 || kind == 14)
            line += take_signed(table);
        else if (kind >= 10 && kind <= 12)
            line += kind - 10;
        if (instruction < end) return kind == 15 ? 0 : as_line(line);
        while (table.peek(byte) && (byte & 0x80U) == 0) table.take(byte);
    }
    return 0;
}

// By the table of a code object of Python 3.`minor`.
template <class Memory>
std::uint32_t line_in_table(BytesReader<Memory>& table, unsigned minor, std::int64_t first_line,
                            std::int64_t instruction) {
    if (minor < 10) return line_from_steps(table, first_line, instruction);
    return minor == 10 ? line_from_pairs(table, first_line, instruction)
                       : line_from_entries(table, first_line, instruction);
}

// The line of `instruction` (a byte offset) in the code object; 0 where it has none.
template <class Memory>
std::uint32_t line_of(Memory& memory, const Layout& layout, std::uintptr_t code,
                      std::int64_t instruction) {
    std::int32_t first_line = 0;
    std::uintptr_t object = 0;
    if (!load(memory, code + layout.code_first_line, first_line)) return 0;
    if (instruction < 0) return as_line(first_line);  // the frame has not begun: the line of `def`
    if (!load(memory, code + layout.code_lines, object)) return 0;
    BytesReader<Memory> table(memory, layout, object);
    return line_in_table(table, layout.minor, first_line, instruction);
}

}  // namespace holdfast::frames
