#include "native/cfi.h"

#include <string>

#include "native/cfi_bytes.h"

namespace holdfast {
namespace {

constexpr std::uint32_t largest_entry = 1U << 20U;
constexpr std::size_t deepest_state = 32;

// The common part of a group of function descriptions (a CIE).
struct CfiCommon {
    std::vector<std::byte> bytes;
    std::uint64_t program = 0;  // address of its first instruction
    std::size_t program_from = 0;
    std::uint64_t code_unit = 1;
    std::int64_t data_unit = 1;
    unsigned return_address = 0;
    std::uint8_t encoding = 0;
    bool augmented = false;
    bool signal_frame = false;
};

struct CfiEntry {
    std::vector<std::byte> bytes;  // without the length
    std::uint64_t address = 0;     // address of the first byte
};

std::optional<CfiEntry> read_entry(const ReadFile& file, std::uint64_t at) {
    std::uint32_t length = 0;
    // All ones would announce a 64-bit length, which nobody has needed yet.
    if (!file(at, &length, sizeof(length)) || length < 4 || length > largest_entry)
        return std::nullopt;
    CfiEntry entry{std::vector<std::byte>(length), at + sizeof(length)};
    if (!file(entry.address, entry.bytes.data(), length)) return std::nullopt;
    return entry;
}

// The address of the description (FDE) of the function that may contain `pc`: the last one that
// begins at or before it.
std::optional<std::uint64_t> find_description(const ReadFile& file, std::uint64_t header,
                                              std::uint64_t pc) {
    std::array<std::byte, 20> head{};
    if (!file(header, head.data(), head.size())) return std::nullopt;
    CfiBytes bytes(head, header);
    const auto version = bytes.take<std::uint8_t>();
    const auto frame_encoding = bytes.take<std::uint8_t>();
    const auto count_encoding = bytes.take<std::uint8_t>();
    const auto table_encoding = bytes.take<std::uint8_t>();
    // What every linker writes: sorted pairs of 32-bit distances from the header.
    constexpr std::uint8_t sorted_pairs = 0x3b;
    if (version != 1 || table_encoding != sorted_pairs) return std::nullopt;
    bytes.pointer(frame_encoding);
    const std::uint64_t count = bytes.pointer(count_encoding);
    if (!bytes.ok()) return std::nullopt;

    struct Pair {
        std::int32_t function, description;
    };
    const std::uint64_t table = bytes.address();
    const auto pair_at = [&](std::uint64_t index, Pair& pair) {
        return file(table + index * sizeof(Pair), &pair, sizeof(pair));
    };
    const auto from_header = [&](std::int32_t distance) {
        return header + static_cast<std::uint64_t>(std::int64_t{distance});
    };
    std::uint64_t low = 0, high = count;
    std::optional<std::uint64_t> found;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        Pair pair{};
        if (!pair_at(middle, pair)) return std::nullopt;
        if (from_header(pair.function) <= pc) {
            found = from_header(pair.description);
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return found;
}

// Reads what the letters behind the z stand for, in their order.
bool read_augmentation(CfiBytes& bytes, const std::string& letters, CfiCommon& common) {
    for (const char letter : letters.substr(1)) {
        switch (letter) {
        case 'R': common.encoding = bytes.take<std::uint8_t>(); break;
        case 'P': bytes.pointer(bytes.take<std::uint8_t>() & 0x7fU); break;  // exception handler
        case 'L': bytes.take<std::uint8_t>(); break;
        case 'S': common.signal_frame = true; break;
        case 'B': break;
        default: return true;  // its size is known and its meaning unneeded
        }
    }
    return bytes.ok();
}

std::optional<CfiCommon> read_common(const ReadFile& file, std::uint64_t at) {
    auto entry = read_entry(file, at);
    if (!entry) return std::nullopt;
    CfiBytes bytes(entry->bytes, entry->address);
    if (bytes.take<std::uint32_t>() != 0) return std::nullopt;
    const auto version = bytes.take<std::uint8_t>();
    const std::string letters = bytes.text();
    if (version != 1 && version != 3) return std::nullopt;
    CfiCommon common;
    common.code_unit = bytes.uleb();
    common.data_unit = bytes.sleb();
    common.return_address =
        static_cast<unsigned>(version == 1 ? bytes.take<std::uint8_t>() : bytes.uleb());
    common.augmented = letters.starts_with('z');
    if (!letters.empty() && !common.augmented) return std::nullopt;
    if (common.augmented) {
        const std::uint64_t size = bytes.uleb();
        const std::uint64_t from = bytes.address();
        CfiBytes inner(bytes.block(size), from);
        if (!read_augmentation(inner, letters, common)) return std::nullopt;
    }
    if (!bytes.ok() || common.return_address >= cfi_registers) return std::nullopt;
    common.program = bytes.address();
    common.program_from = static_cast<std::size_t>(bytes.address() - entry->address);
    common.bytes = std::move(entry->bytes);
    return common;
}

// Runs the instructions of a description, up to an address of code.
class CfiProgram {
public:
    CfiProgram(const CfiCommon& common, std::uint64_t begin, std::uint64_t pc)
        : common_(common), at_(begin), pc_(pc) {
        row_.return_address = common.return_address;
        row_.signal_frame = common.signal_frame;
    }

    bool run(std::span<const std::byte> program, std::uint64_t address) {
        CfiBytes bytes(program, address);
        while (bytes.more() && at_ <= pc_)
            if (!instruction(bytes)) return false;
        return bytes.ok();
    }
    // What the CIE sets is what a function's rules can be restored to.
    void begin_function() { initial_ = row_; }
    CfiRow take() && { return std::move(row_); }

private:
    using Kind = CfiRule::Kind;

    bool instruction(CfiBytes& bytes) {
        const auto code = bytes.take<std::uint8_t>();
        const unsigned low = code & 0x3fU;
        switch (code & 0xc0U) {
        case 0x40: return advance(low);
        case 0x80: return at_cfa(low, scaled(bytes.uleb()));
        case 0xc0: return restore(low);
        default: return extended(low, bytes);
        }
    }

    bool extended(unsigned code, CfiBytes& bytes) {
        switch (code) {
        case 0x00: return true;                                               // nop
        case 0x01: at_ = bytes.pointer(common_.encoding); return bytes.ok();  // set_loc
        case 0x02: return advance(bytes.take<std::uint8_t>());
        case 0x03: return advance(bytes.take<std::uint16_t>());
        case 0x04: return advance(bytes.take<std::uint32_t>());
        case 0x06: return restore(bytes.uleb());
        case 0x07: return set(bytes.uleb(), {Kind::undefined, 0, 0, {}});
        case 0x08: return set(bytes.uleb(), {Kind::same, 0, 0, {}});
        case 0x0a: return remember();
        case 0x0b: return recall();
        case 0x0f: row_.cfa = {Kind::expression, 0, 0, expression(bytes)}; return bytes.ok();
        case 0x2d: row_.signed_return = !row_.signed_return; return true;
        case 0x2e: bytes.uleb(); return bytes.ok();  // GNU_args_size
        default: return with_operands(code, bytes);
        }
    }

    // Instructions with a register, an offset, or both.
    bool with_operands(unsigned code, CfiBytes& bytes) {
        const std::uint64_t first = code == 0x13 ? 0 : bytes.uleb();
        switch (code) {
        case 0x05: return at_cfa(first, scaled(bytes.uleb()));
        case 0x09: return set(first, {Kind::in_register, narrow(bytes.uleb()), 0, {}});
        case 0x0c: return define_cfa(first, static_cast<std::int64_t>(bytes.uleb()));
        case 0x0d: return define_cfa(first, row_.cfa.offset);
        case 0x0e: return define_cfa(row_.cfa.from, static_cast<std::int64_t>(first));
        case 0x10: return set(first, {Kind::at_expression, 0, 0, expression(bytes)});
        case 0x11: return at_cfa(first, scaled(static_cast<std::uint64_t>(bytes.sleb())));
        case 0x12: return define_cfa(first, scaled(static_cast<std::uint64_t>(bytes.sleb())));
        case 0x13:
            return define_cfa(row_.cfa.from, scaled(static_cast<std::uint64_t>(bytes.sleb())));
        case 0x14: return set(first, {Kind::cfa, 0, scaled(bytes.uleb()), {}});
        case 0x15:
            return set(first, {Kind::cfa, 0, scaled(static_cast<std::uint64_t>(bytes.sleb())), {}});
        case 0x16: return set(first, {Kind::expression, 0, 0, expression(bytes)});
        case 0x2f: return at_cfa(first, -scaled(bytes.uleb()));
        default: return false;
        }
    }

    static unsigned narrow(std::uint64_t number) {
        return number < cfi_registers ? static_cast<unsigned>(number) : cfi_registers;
    }
    // Multiplies as unsigned, because a damaged table may overflow.
    std::int64_t scaled(std::uint64_t factor) const {
        return static_cast<std::int64_t>(factor * static_cast<std::uint64_t>(common_.data_unit));
    }
    static std::vector<std::byte> expression(CfiBytes& bytes) {
        const auto block = bytes.block(bytes.uleb());
        return {block.begin(), block.end()};
    }
    bool advance(std::uint64_t units) {
        at_ += units * common_.code_unit;
        return true;
    }
    // Vector registers have numbers beyond ours, and nobody needs them.
    bool set(std::uint64_t number, CfiRule rule) {
        if (number < cfi_registers) row_.registers[number] = std::move(rule);
        return true;
    }
    bool at_cfa(std::uint64_t number, std::int64_t offset) {
        return set(number, {Kind::at_cfa, 0, offset, {}});
    }
    bool restore(std::uint64_t number) {
        return number >= cfi_registers || set(number, initial_.registers[number]);
    }
    bool define_cfa(std::uint64_t number, std::int64_t offset) {
        if (number >= cfi_registers) return false;
        row_.cfa = {Kind::in_register, static_cast<unsigned>(number), offset, {}};
        return true;
    }
    bool remember() {
        if (remembered_.size() == deepest_state) return false;
        remembered_.push_back(row_);
        return true;
    }
    bool recall() {
        if (remembered_.empty()) return false;
        row_ = std::move(remembered_.back());
        remembered_.pop_back();
        return true;
    }

    const CfiCommon& common_;
    std::uint64_t at_;
    std::uint64_t pc_;
    CfiRow row_, initial_;
    std::vector<CfiRow> remembered_;
};

}  // namespace

std::optional<CfiRow> find_cfi(const ReadFile& file, std::uint64_t eh_frame_hdr, std::uint64_t pc) {
    const auto where = find_description(file, eh_frame_hdr, pc);
    if (!where) return std::nullopt;
    const auto entry = read_entry(file, *where);
    if (!entry) return std::nullopt;
    CfiBytes bytes(entry->bytes, entry->address);
    const auto back = bytes.take<std::uint32_t>();
    if (back == 0) return std::nullopt;
    const auto common = read_common(file, entry->address - back);
    if (!common) return std::nullopt;
    const std::uint64_t begin = bytes.pointer(common->encoding);
    const std::uint64_t size = bytes.pointer(common->encoding & 0x0fU);
    if (common->augmented) bytes.block(bytes.uleb());
    if (!bytes.ok() || pc < begin || pc - begin >= size) return std::nullopt;

    CfiProgram program(*common, begin, pc);
    const std::span<const std::byte> whole(entry->bytes);
    const std::span<const std::byte> first(common->bytes);
    if (!program.run(first.subspan(common->program_from), common->program)) return std::nullopt;
    program.begin_function();
    const auto from = static_cast<std::size_t>(bytes.address() - entry->address);
    if (!program.run(whole.subspan(from), bytes.address())) return std::nullopt;
    return std::move(program).take();
}

}  // namespace holdfast
