// Whether a code object is the program's own, by the file it came from: read once and remembered.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/base/text.h"

namespace holdfast::agent {

// As knowledge/own_code.h has it, in the two bits that an entry has for it.
enum class CodeOrigin : std::uint8_t { unknown = 0, foreign, own, made_up };
CodeOrigin origin_of(Text file);

// Zeroed is empty; in memory that fork wipes. Several threads read and write: a half-written entry
// counts as unknown. Another code object may later have the same address; that its file name also
// has the same address is practically impossible.
class OriginCache {
public:
    // `unknown` unless this code object was put before. `identity` as RawFrame's first_line.
    [[gnu::always_inline]] CodeOrigin find(std::uintptr_t code, std::uintptr_t file,
                                           std::uint32_t& identity) {
        const Entry& entry = at(code);
        const std::uintptr_t word = entry.word.load(std::memory_order_acquire);
        if ((word ^ code) > origin_bits || entry.file.load(std::memory_order_relaxed) != file)
            return CodeOrigin::unknown;
        identity = entry.identity.load(std::memory_order_relaxed);
        return static_cast<CodeOrigin>(word & origin_bits);
    }
    void put(std::uintptr_t code, std::uintptr_t file, std::uint32_t identity, CodeOrigin origin) {
        if ((code & origin_bits) != 0) return;  // objects of Python lie at multiples of eight
        Entry& entry = at(code);
        entry.word.store(0, std::memory_order_seq_cst);
        entry.file.store(file, std::memory_order_release);
        entry.identity.store(identity, std::memory_order_release);
        entry.word.store(code | static_cast<std::uintptr_t>(origin), std::memory_order_release);
    }

private:
    static constexpr std::uintptr_t origin_bits = 3;
    struct Entry {
        std::atomic<std::uintptr_t> word;  // the code object's address, its origin below
        std::atomic<std::uintptr_t> file;
        std::atomic<std::uint32_t> identity;
    };
    Entry& at(std::uintptr_t code) { return known_[((code >> 4U) ^ (code >> 12U)) % entries]; }

    static constexpr std::size_t entries = 1024;
    Entry known_[entries];
};

}  // namespace holdfast::agent
