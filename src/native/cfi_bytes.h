// A cursor over the bytes of an unwind table. Trusts none of them: a read past the end yields zero
// and makes `ok` false for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace holdfast {

class CfiBytes {
public:
    // `address` is where the first byte lies: a pointer may be relative to its own address.
    CfiBytes(std::span<const std::byte> bytes, std::uint64_t address)
        : bytes_(bytes), address_(address) {}

    bool ok() const { return ok_; }
    bool more() const { return ok_ && !bytes_.empty(); }
    std::uint64_t address() const { return address_; }

    template <class T>
    T take() {
        static_assert(std::is_integral_v<T>);
        T value{};
        const std::span<const std::byte> from = block(sizeof(T));
        if (ok_) std::memcpy(&value, from.data(), sizeof(T));
        return value;
    }

    std::uint64_t uleb() { return leb().value; }
    std::int64_t sleb() {
        Leb found = leb();
        if (found.negative && found.shift < 64) found.value |= ~std::uint64_t{0} << found.shift;
        return static_cast<std::int64_t>(found.value);
    }

    std::span<const std::byte> block(std::uint64_t size) {
        if (!ok_ || size > bytes_.size()) {
            ok_ = false;
            bytes_ = {};
            return {};
        }
        const auto taken = bytes_.first(static_cast<std::size_t>(size));
        bytes_ = bytes_.subspan(taken.size());
        address_ += taken.size();
        return taken;
    }

    // The text up to its terminating zero.
    std::string text() {
        std::string found;
        while (more())
            if (const char c = take<char>(); c != '\0')
                found += c;
            else
                return found;
        ok_ = false;
        return found;
    }

    // Reads a pointer in one of the DW_EH_PE encodings. For an indirect one, yields the address of
    // the pointer.
    std::uint64_t pointer(std::uint8_t encoding) {
        const std::uint64_t at = address_;
        std::uint64_t value = 0;
        switch (encoding & 0x0fU) {
        case 0x00:
        case 0x04:
        case 0x0c: value = take<std::uint64_t>(); break;
        case 0x01: value = uleb(); break;
        case 0x02: value = take<std::uint16_t>(); break;
        case 0x03: value = take<std::uint32_t>(); break;
        case 0x09: value = static_cast<std::uint64_t>(sleb()); break;
        case 0x0a: value = extended<std::int16_t>(); break;
        case 0x0b: value = extended<std::int32_t>(); break;
        default: ok_ = false;
        }
        switch (encoding & 0x70U) {
        case 0x00: return value;
        case 0x10: return at + value;
        default: ok_ = false; return 0;  // bases that only old compilers used
        }
    }

private:
    struct Leb {
        std::uint64_t value = 0;
        unsigned shift = 0;
        bool negative = false;
    };
    Leb leb() {
        Leb found;
        while (ok_) {
            const auto byte = take<std::uint8_t>();
            if (found.shift < 64) found.value |= std::uint64_t{byte & 0x7fU} << found.shift;
            found.shift += 7;
            found.negative = (byte & 0x40U) != 0;
            if ((byte & 0x80U) == 0) break;
        }
        return found;
    }
    template <class T>
    std::uint64_t extended() {
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(take<T>()));
    }

    std::span<const std::byte> bytes_;
    std::uint64_t address_;
    bool ok_ = true;
};

}  // namespace holdfast
