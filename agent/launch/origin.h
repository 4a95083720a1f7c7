// Whose a code object is, by the file it came from: read once and remembered.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/base/text.h"

namespace holdfast::agent {

// As model/own_code.h has it, for the files that Python code comes from.
enum class CodeOrigin : std::uint8_t { unknown = 0, foreign, own, made_up };
CodeOrigin origin_of(Text file);

// Zeroed is empty; in memory that fork wipes. Several threads read and write: an entry that is
// being written counts as unknown.
class OriginCache {
public:
    struct Known {
        std::uintptr_t code, file, lines;
        std::uint32_t identity;
        CodeOrigin origin;
    };

    // `unknown` unless this code object, with the same parts, was put before.
    [[gnu::always_inline]] CodeOrigin find(std::uintptr_t code, std::uintptr_t file,
                                           std::uintptr_t lines, std::uint32_t& identity) {
        const Entry& entry = at(code);
        const CodeOrigin origin = entry.origin.load(std::memory_order_acquire);
        if (entry.code.load(std::memory_order_relaxed) != code ||
            entry.file.load(std::memory_order_relaxed) != file ||
            entry.lines.load(std::memory_order_relaxed) != lines)
            return CodeOrigin::unknown;
        identity = entry.identity.load(std::memory_order_relaxed);
        return origin;
    }
    void put(const Known& known) {
        Entry& entry = at(known.code);
        entry.origin.store(CodeOrigin::unknown, std::memory_order_seq_cst);
        entry.code.store(known.code, std::memory_order_release);
        entry.file.store(known.file, std::memory_order_release);
        entry.lines.store(known.lines, std::memory_order_release);
        entry.identity.store(known.identity, std::memory_order_release);
        entry.origin.store(known.origin, std::memory_order_release);
    }

private:
    struct Entry {
        std::atomic<std::uintptr_t> code, file, lines;
        std::atomic<std::uint32_t> identity;
        std::atomic<CodeOrigin> origin;
    };
    Entry& at(std::uintptr_t code) { return known_[(code >> 4U) * 0x9E3779B97F4A7C15U >> 55U]; }

    Entry known_[512];
};

}  // namespace holdfast::agent
