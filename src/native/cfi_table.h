// An unwind table made by hand, for the tests: a header and one function at 0x4000, 32 bytes long.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "native/cfi.h"

namespace holdfast {

class CfiTable {
public:
    static constexpr std::uint64_t header = 0x1000, function = 0x4000, function_size = 32;
    using Bytes = std::vector<std::uint8_t>;

    // As compilers begin for x86_64: the CFA is rsp + 8, and the return address lies just below it.
    static Bytes x86_64_start() { return {0x0c, 7, 8, 0x90, 1}; }

    CfiTable(const Bytes& start, const Bytes& program, std::uint8_t return_address = 16,
             const char* letters = "zR") {
        put32(0x3b031b01);  // version 1, pcrel sdata4, udata4, datarel sdata4
        put32(16);          // the frames follow: 0x1014 - 0x1004
        put32(1);
        put32(function - header);
        const std::size_t description = bytes_.size();
        put32(0);
        const std::size_t common = begin_entry();
        put32(0);
        put8({1});
        for (const char* c = letters; *c != '\0'; ++c) put8({static_cast<std::uint8_t>(*c)});
        put8({0, 1, 0x78, return_address, 1, 0x1b});  // units 1 and -8; pointers pcrel sdata4
        put8(start);
        end_entry(common);
        const std::size_t entry = begin_entry();
        put32_at(description, static_cast<std::uint32_t>(entry));
        put32(static_cast<std::uint32_t>(bytes_.size() - common));
        put32(static_cast<std::uint32_t>(function - header - bytes_.size()));
        put32(function_size);
        put8({0});
        put8(program);
        end_entry(entry);
    }

    const Bytes& bytes() const { return bytes_; }
    ReadFile reader() const { return reader_of(bytes_); }
    static ReadFile reader_of(Bytes bytes) {
        return [bytes = std::move(bytes)](std::uint64_t address, void* into, std::size_t size) {
            const std::uint64_t within = address - header;
            if (address < header || within > bytes.size() || size > bytes.size() - within)
                return false;
            std::memcpy(into, bytes.data() + within, size);
            return true;
        };
    }
    std::optional<CfiRow> row(std::uint64_t within) const {
        return find_cfi(reader(), header, function + within);
    }

private:
    void put8(const Bytes& more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
    void put32(std::uint64_t value) {
        bytes_.resize(bytes_.size() + 4);
        put32_at(bytes_.size() - 4, static_cast<std::uint32_t>(value));
    }
    void put32_at(std::size_t at, std::uint32_t value) {
        std::memcpy(bytes_.data() + at, &value, sizeof(value));
    }
    std::size_t begin_entry() {
        put32(0);
        return bytes_.size() - 4;
    }
    void end_entry(std::size_t at) {
        put32_at(at, static_cast<std::uint32_t>(bytes_.size() - at - 4));
    }

    Bytes bytes_;
};

}  // namespace holdfast
