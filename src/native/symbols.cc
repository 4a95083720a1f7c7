// Naming addresses from an ELF file's symbol table.
#include <algorithm>
#include <numeric>

#include "native/elf_file.h"

namespace holdfast {
namespace {

constexpr std::size_t symbols_per_read = 32'768;
constexpr std::uint64_t most_symbols = 8'000'000;

struct Best {
    Elf64_Sym symbol{};
    bool found = false;
};

int binding_order(const Elf64_Sym& symbol) {
    switch (ELF64_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL: return 2;
    case STB_WEAK: return 1;
    default: return 0;
    }
}

std::size_t underscores(const std::string& name) {
    return std::min(name.find_first_not_of('_'), name.size());
}

}  // namespace

std::vector<std::optional<ElfSymbol>> ElfFile::symbols(
    std::span<const std::uint64_t> addresses) const {
    std::vector<std::optional<ElfSymbol>> named(addresses.size());
    const Elf64_Shdr* table = find(SHT_SYMTAB);
    if (table == nullptr) table = find(SHT_DYNSYM);
    if (table == nullptr || table->sh_entsize != sizeof(Elf64_Sym) ||
        table->sh_link >= sections_.size() || addresses.empty())
        return named;
    const Elf64_Shdr& strings = sections_[table->sh_link];

    std::vector<std::size_t> order(addresses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return addresses[a] < addresses[b]; });
    std::vector<std::uint64_t> sorted;
    sorted.reserve(order.size());
    for (const std::size_t i : order) sorted.push_back(addresses[i]);
    std::vector<Best> best(sorted.size());

    // If an address has several names: the innermost symbol, then the most public one, then the
    // simplest name (`free` before `__libc_free`).
    const auto better = [&](const Elf64_Sym& a, const Elf64_Sym& b) {
        if (a.st_value != b.st_value) return a.st_value > b.st_value;
        if (binding_order(a) != binding_order(b)) return binding_order(a) > binding_order(b);
        const std::string first = name_at(strings, a.st_name), second = name_at(strings, b.st_name);
        if (underscores(first) != underscores(second))
            return underscores(first) < underscores(second);
        return first.size() < second.size();
    };
    const auto consider = [&](const Elf64_Sym& symbol) {
        const unsigned type = ELF64_ST_TYPE(symbol.st_info);
        if (symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0 ||
            (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
            return;
        const auto first = std::lower_bound(sorted.begin(), sorted.end(), symbol.st_value);
        for (auto at = first; at != sorted.end() && *at - symbol.st_value < symbol.st_size; ++at) {
            Best& now = best[static_cast<std::size_t>(at - sorted.begin())];
            if (!now.found || better(symbol, now.symbol)) now = {symbol, true};
        }
    };

    const std::uint64_t count =
        std::min(std::min(table->sh_size, size_) / sizeof(Elf64_Sym), most_symbols);
    std::vector<Elf64_Sym> some;
    for (std::uint64_t i = 0; i < count; i += some.size()) {
        some.resize(std::min<std::uint64_t>(symbols_per_read, count - i));
        if (!read_at(table->sh_offset + i * sizeof(Elf64_Sym), some.data(),
                     some.size() * sizeof(Elf64_Sym)))
            break;
        for (const Elf64_Sym& symbol : some) consider(symbol);
    }
    for (std::size_t i = 0; i < best.size(); ++i) {
        if (!best[i].found) continue;
        std::string name = name_at(strings, best[i].symbol.st_name);
        if (!name.empty())
            named[order[i]] = ElfSymbol{std::move(name), sorted[i] - best[i].symbol.st_value};
    }
    return named;
}

}  // namespace holdfast
