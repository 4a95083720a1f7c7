// The part of DWARF's expressions that unwind tables use: arithmetic on registers and memory.
#include <vector>

#include "native/cfi_bytes.h"
#include "native/cfi_step.h"

namespace holdfast {
namespace {

constexpr int most_operations = 1000;  // branching backwards may be damage
constexpr std::size_t deepest_expression = 64;

class CfiExpression {
public:
    CfiExpression(std::span<const std::byte> code, const CfiState& at, const ReadMemory& memory)
        : code_(code), bytes_(code, 0), at_(at), memory_(memory) {}

    std::optional<std::uint64_t> value(std::optional<std::uint64_t> first) {
        if (first) push(*first);
        for (int done = 0; bytes_.more(); ++done)
            if (done == most_operations || !operation() || !good_) return std::nullopt;
        if (!bytes_.ok() || stack_.empty()) return std::nullopt;
        return stack_.back();
    }

private:
    bool push(std::uint64_t value) {
        if (stack_.size() == deepest_expression) return false;
        stack_.push_back(value);
        return true;
    }
    bool push(std::optional<std::uint64_t> value) { return value && push(*value); }
    template <class T>
    bool push_signed() {
        return push(static_cast<std::uint64_t>(std::int64_t{bytes_.take<T>()}));
    }
    std::uint64_t pop() {
        if (stack_.empty()) {
            good_ = false;
            return 0;
        }
        const std::uint64_t top = stack_.back();
        stack_.pop_back();
        return top;
    }
    bool pick(std::uint64_t depth) {
        return depth < stack_.size() && push(stack_[stack_.size() - 1 - depth]);
    }

    bool operation() {
        const auto code = bytes_.take<std::uint8_t>();
        if (code >= 0x30 && code <= 0x4f) return push(std::uint64_t{code} - 0x30);  // lit
        if (code >= 0x70 && code <= 0x8f) return from_register(code - 0x70U);       // breg
        switch (code) {
        case 0x06: return push(memory_(pop()));  // deref
        case 0x08: return push(std::uint64_t{bytes_.take<std::uint8_t>()});
        case 0x09: return push_signed<std::int8_t>();
        case 0x0a: return push(std::uint64_t{bytes_.take<std::uint16_t>()});
        case 0x0b: return push_signed<std::int16_t>();
        case 0x0c: return push(std::uint64_t{bytes_.take<std::uint32_t>()});
        case 0x0d: return push_signed<std::int32_t>();
        case 0x0e:
        case 0x0f: return push(bytes_.take<std::uint64_t>());
        case 0x10: return push(bytes_.uleb());
        case 0x11: return push(static_cast<std::uint64_t>(bytes_.sleb()));
        case 0x12: return pick(0);  // dup
        case 0x13: pop(); return true;
        case 0x14: return pick(1);  // over
        case 0x15: return pick(bytes_.take<std::uint8_t>());
        case 0x1f: return push(~pop() + 1);  // neg
        case 0x20: return push(~pop());
        case 0x23: return push(pop() + bytes_.uleb());
        case 0x28: return branch(true);
        case 0x2f: return branch(false);
        case 0x92: {  // bregx
            const std::uint64_t number = bytes_.uleb();
            return number < cfi_registers && from_register(static_cast<unsigned>(number));
        }
        case 0x94: return part(bytes_.take<std::uint8_t>());  // deref_size
        case 0x96: return true;                               // nop
        default: return of_two(code);
        }
    }

    bool of_two(unsigned code) {
        const std::uint64_t b = pop(), a = pop();
        const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
        switch (code) {
        case 0x16: return push(b) && push(a);  // swap
        case 0x1a: return push(a & b);
        case 0x1c: return push(a - b);
        case 0x1e: return push(a * b);
        case 0x21: return push(a | b);
        case 0x22: return push(a + b);
        case 0x24: return push(b < 64 ? a << b : 0);
        case 0x25: return push(b < 64 ? a >> b : 0);
        case 0x26: return push(static_cast<std::uint64_t>(sa >> (b < 64 ? b : 63)));
        case 0x27: return push(a ^ b);
        case 0x29: return push(std::uint64_t{sa == sb});
        case 0x2a: return push(std::uint64_t{sa >= sb});
        case 0x2b: return push(std::uint64_t{sa > sb});
        case 0x2c: return push(std::uint64_t{sa <= sb});
        case 0x2d: return push(std::uint64_t{sa < sb});
        case 0x2e: return push(std::uint64_t{sa != sb});
        default: return false;
        }
    }

    bool from_register(unsigned number) {
        const std::int64_t offset = bytes_.sleb();
        const auto value = at_.registers[number];
        return value && push(*value + static_cast<std::uint64_t>(offset));
    }
    bool part(unsigned size) {
        const auto word = memory_(pop());
        if (!word || size == 0 || size > 8) return false;
        return push(size == 8 ? *word : *word & ((std::uint64_t{1} << (size * 8)) - 1));
    }
    bool branch(bool conditional) {
        const auto distance = bytes_.take<std::int16_t>();
        if (conditional && pop() == 0) return true;
        const std::uint64_t to =
            bytes_.address() + static_cast<std::uint64_t>(std::int64_t{distance});
        if (to > code_.size()) return false;
        bytes_ = CfiBytes(code_.subspan(static_cast<std::size_t>(to)), to);
        return true;
    }

    std::span<const std::byte> code_;
    CfiBytes bytes_;
    const CfiState& at_;
    const ReadMemory& memory_;
    std::vector<std::uint64_t> stack_;
    bool good_ = true;
};

}  // namespace

std::optional<std::uint64_t> cfi_value(std::span<const std::byte> expression, const CfiState& at,
                                       const ReadMemory& memory,
                                       std::optional<std::uint64_t> first) {
    return CfiExpression(expression, at, memory).value(first);
}

}  // namespace holdfast
