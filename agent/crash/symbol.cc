// A look-up in an ELF file's GNU hash table, with reads that cannot fault.
#include "agent/crash/symbol.h"

#include <elf.h>
#include <link.h>

#include "agent/crash/memory.h"

namespace holdfast::agent {
namespace {

std::uint32_t gnu_hash(Text name) {
    std::uint32_t hash = 5381;
    for (std::size_t i = 0; i < name.size; ++i)
        hash = hash * 33 + static_cast<unsigned char>(name.data[i]);
    return hash;
}

}  // namespace

LoadedLibrary::LoadedLibrary(std::uintptr_t base) {
    ElfW(Ehdr) header{};
    if (!read_value(base, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
    std::uintptr_t dynamic = 0;
    bool has_first = false;
    for (unsigned i = 0; i < header.e_phnum && i < 32; ++i) {
        ElfW(Phdr) part{};
        if (!read_value(base + header.e_phoff + i * sizeof part, part)) return;
        if (part.p_type == PT_LOAD && !has_first) {
            has_first = true;
            bias_ = base - (part.p_vaddr - part.p_offset);
        }
        if (part.p_type == PT_DYNAMIC) dynamic = part.p_vaddr;
    }
    if (dynamic == 0) return;
    for (unsigned i = 0; i < 128; ++i) {
        ElfW(Dyn) entry{};
        if (!read_value(bias_ + dynamic + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
        // The loader has made addresses of them, on most machines.
        std::uintptr_t at = entry.d_un.d_ptr;
        if (at < base) at += bias_;
        if (entry.d_tag == DT_SYMTAB) symbols_ = at;
        if (entry.d_tag == DT_STRTAB) strings_ = at;
        if (entry.d_tag == DT_GNU_HASH) hash_ = at;
    }
}

Symbol LoadedLibrary::find(Text name) const {
    if (symbols_ == 0 || strings_ == 0 || hash_ == 0) return {};
    std::uint32_t head[4];  // buckets, first symbol, words of the filter, shift
    if (!read_value(hash_, head) || head[0] == 0) return {};
    const std::uintptr_t buckets = hash_ + sizeof head + std::uintptr_t{head[2]} * 8;
    const std::uintptr_t chains = buckets + std::uintptr_t{head[0]} * 4;
    const std::uint32_t hash = gnu_hash(name);
    std::uint32_t index = 0;
    if (!read_value(buckets + hash % head[0] * 4, index) || index < head[1]) return {};
    for (int steps = 0; steps < 1000; ++steps, ++index) {
        std::uint32_t chain = 0;
        if (!read_value(chains + std::uintptr_t{index - head[1]} * 4, chain)) return {};
        if ((chain | 1U) == (hash | 1U)) {
            ElfW(Sym) symbol{};
            char text[128];
            if (!read_value(symbols_ + index * sizeof symbol, symbol)) return {};
            const std::size_t size = read_string(strings_ + symbol.st_name, text, sizeof text);
            if (Text{text, size} == name && symbol.st_shndx != SHN_UNDEF)
                return {bias_ + symbol.st_value, symbol.st_size};
        }
        if ((chain & 1U) != 0) return {};
    }
    return {};
}

}  // namespace holdfast::agent
