#include "check/elf_symbols.h"

#include <array>
#include <optional>

#include "check/dynamic_elf.h"

namespace holdfast::check {
namespace {

constexpr std::size_t most_symbols = 100'000;
constexpr std::size_t longest_chain = 100'000;

class SymbolTable {
public:
    explicit SymbolTable(const ReadAt& read) : file_(read) {}

    Status open() {
        if (Status opened = file_.open(); !opened) return opened;
        std::optional<std::uint64_t> symbols;
        for (const Elf64_Dyn& entry : file_.dynamic()) {
            const std::uint64_t address = entry.d_un.d_ptr;
            if (entry.d_tag == DT_SYMTAB) symbols = file_.offset_of(address);
            if (entry.d_tag == DT_HASH) hash_ = file_.offset_of(address);
            if (entry.d_tag == DT_GNU_HASH) gnu_hash_ = file_.offset_of(address);
        }
        if (!symbols || (!hash_ && !gnu_hash_)) return Error{"no table of symbols"};
        symbols_ = *symbols;
        if (!gnu_hash_) return Done{};
        std::array<std::uint32_t, 4> head{};
        if (!file_.get(*gnu_hash_, head)) return Error{"cut short"};
        buckets_ = head[0];
        first_hashed_ = head[1];
        bloom_words_ = head[2];
        return buckets_ == 0 ? Status(Error{"no table of symbols"}) : Status(Done{});
    }

    // The hash table lists only defined symbols; the needed ones come before them.
    Result<std::vector<std::string>> wanted() {
        std::uint64_t count = first_hashed_;
        if (!gnu_hash_) {
            std::array<std::uint32_t, 2> head{};  // buckets, chains: one chain entry per symbol
            if (!hash_ || !file_.get(*hash_, head)) return Error{"no table of symbols"};
            count = head[1];
        }
        std::vector<std::string> names;
        for (std::uint64_t i = 1; i < count && i < most_symbols; ++i) {
            Elf64_Sym symbol;
            if (!file_.get(symbols_ + i * sizeof symbol, symbol)) return Error{"cut short"};
            if (symbol.st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL)
                names.push_back(file_.name(symbol.st_name));
        }
        return names;
    }

    // Nothing if the tables end before that is known.
    std::optional<bool> defines(const std::string& name) {
        return gnu_hash_ ? in_gnu_hash(name) : in_old_hash(name);
    }

private:
    bool is_definition(std::uint64_t index, const std::string& name, bool& readable) {
        Elf64_Sym symbol;
        readable = file_.get(symbols_ + index * sizeof symbol, symbol);
        return readable && symbol.st_shndx != SHN_UNDEF && file_.name(symbol.st_name) == name;
    }

    std::optional<bool> in_gnu_hash(const std::string& name) {
        std::uint32_t hash = 5381;
        for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
        const std::uint64_t buckets = *gnu_hash_ + 16 + 8ULL * bloom_words_;
        std::uint32_t index = 0;
        if (!file_.get(buckets + 4ULL * (hash % buckets_), index)) return std::nullopt;
        if (index == 0) return false;
        if (index < first_hashed_) return std::nullopt;
        const std::uint64_t chains = buckets + 4ULL * buckets_;
        for (std::size_t i = 0; i < longest_chain; ++i, ++index) {
            std::uint32_t link = 0;
            if (!file_.get(chains + 4ULL * (index - first_hashed_), link)) return std::nullopt;
            bool readable = true;
            if ((link | 1U) == (hash | 1U) && is_definition(index, name, readable)) return true;
            if (!readable) return std::nullopt;
            if ((link & 1U) != 0) return false;  // the last of its chain
        }
        return std::nullopt;
    }

    std::optional<bool> in_old_hash(const std::string& name) {
        std::uint32_t hash = 0;
        for (const char c : name) {
            hash = (hash << 4U) + static_cast<unsigned char>(c);
            hash = (hash ^ ((hash & 0xf0000000U) >> 24U)) & 0x0fffffffU;
        }
        std::array<std::uint32_t, 2> head{};
        if (!file_.get(*hash_, head) || head[0] == 0) return std::nullopt;
        std::uint32_t index = 0;
        if (!file_.get(*hash_ + 8 + 4ULL * (hash % head[0]), index)) return std::nullopt;
        for (std::size_t i = 0; index != 0 && i < longest_chain; ++i) {
            bool readable = true;
            if (is_definition(index, name, readable)) return true;
            if (!readable || !file_.get(*hash_ + 8 + 4ULL * head[0] + 4ULL * index, index))
                return std::nullopt;
        }
        return index == 0 ? std::optional(false) : std::nullopt;
    }

    DynamicElf file_;
    std::uint64_t symbols_ = 0;
    std::optional<std::uint64_t> hash_, gnu_hash_;
    std::uint32_t buckets_ = 0, first_hashed_ = 0, bloom_words_ = 0;
};

}  // namespace

Result<std::vector<std::string>> wanted_symbols(const ReadAt& read) {
    SymbolTable table(read);
    if (const Status opened = table.open(); !opened) return opened.error();
    return table.wanted();
}

Result<std::vector<std::string>> defined_symbols(const ReadAt& read,
                                                 const std::vector<std::string>& names) {
    SymbolTable table(read);
    if (const Status opened = table.open(); !opened) return opened.error();
    std::vector<std::string> defined;
    for (const std::string& name : names) {
        const auto known = table.defines(name);
        if (!known) return Error{"its table of symbols ends early"};
        if (*known) defined.push_back(name);
    }
    return defined;
}

}  // namespace holdfast::check
