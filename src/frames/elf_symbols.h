// Finds the symbols of a loaded ELF object in its image in memory. Not in its file: that may have
// been replaced since, or be in another mount namespace. 64-bit, own byte order.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "frames/memory.h"

namespace holdfast::frames {

inline constexpr std::size_t most_program_headers = 128;
inline constexpr std::size_t most_dynamic_entries = 512;
inline constexpr std::size_t most_chain_steps = 4096;

template <class Memory>
bool load_elf_header(Memory& memory, std::uintptr_t image, Elf64_Ehdr& header) {
    return load(memory, image, header) && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB;
}

class ElfSymbols {
public:
    // `image`: where the object's first byte is mapped. False if it is no ELF object, or exports
    // nothing.
    template <class Memory>
    bool open(Memory& memory, std::uintptr_t image) {
        Elf64_Ehdr header;
        if (!load_elf_header(memory, image, header) || header.e_phentsize != sizeof(Elf64_Phdr))
            return false;
        std::uintptr_t dynamic = 0;
        bool placed = false;
        for (std::size_t i = 0; i < header.e_phnum && i < most_program_headers; ++i) {
            Elf64_Phdr part;
            if (!load(memory, image + header.e_phoff + i * sizeof part, part)) return false;
            if (part.p_type == PT_LOAD && part.p_offset == 0) {
                bias_ = image - part.p_vaddr;
                placed = true;
            }
            if (part.p_type == PT_DYNAMIC) dynamic = part.p_vaddr;
        }
        return placed && dynamic != 0 && load_dynamic(memory, bias_ + dynamic);
    }

    // From an address in the file to one in the process.
    std::uintptr_t bias() const { return bias_; }

    // The address of a symbol the object defines; 0 when it does not.
    template <class Memory>
    std::uintptr_t find(Memory& memory, const char* name) const {
        return gnu_hash_ != 0 ? find_by_gnu_hash(memory, name) : find_by_hash(memory, name);
    }

private:
    // Some loaders relocate these pointers, others leave them as the file has them.
    std::uintptr_t placed(std::uint64_t value) const {
        return value < bias_ ? bias_ + value : value;
    }

    template <class Memory>
    bool load_dynamic(Memory& memory, std::uintptr_t at) {
        for (std::size_t i = 0; i < most_dynamic_entries; ++i, at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            if (!load(memory, at, entry) || entry.d_tag == DT_NULL) break;
            if (entry.d_tag == DT_SYMTAB) symbols_ = placed(entry.d_un.d_ptr);
            if (entry.d_tag == DT_STRTAB) strings_ = placed(entry.d_un.d_ptr);
            if (entry.d_tag == DT_HASH) hash_ = placed(entry.d_un.d_ptr);
            if (entry.d_tag == DT_GNU_HASH) gnu_hash_ = placed(entry.d_un.d_ptr);
        }
        return symbols_ != 0 && strings_ != 0 && (hash_ != 0 || gnu_hash_ != 0);
    }

    template <class Memory>
    std::uintptr_t address_if_named(Memory& memory, std::uint64_t index, const char* name) const {
        Elf64_Sym symbol;
        char text[64];
        const std::size_t size = std::strlen(name) + 1;
        if (size > sizeof text || !load(memory, symbols_ + index * sizeof symbol, symbol) ||
            symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0 ||
            !memory.read(strings_ + symbol.st_name, text, size) ||
            std::memcmp(text, name, size) != 0)
            return 0;
        return bias_ + symbol.st_value;
    }

    template <class Memory>
    std::uintptr_t find_by_gnu_hash(Memory& memory, const char* name) const {
        struct {
            std::uint32_t buckets, first, bloom_words, bloom_shift;
        } table;
        if (!load(memory, gnu_hash_, table) || table.buckets == 0) return 0;
        std::uint32_t hash = 5381;
        for (const char* at = name; *at != 0; ++at)
            hash = hash * 33 + static_cast<unsigned char>(*at);
        const std::uintptr_t buckets =
            gnu_hash_ + sizeof table + std::uint64_t{table.bloom_words} * 8;
        const std::uintptr_t chains = buckets + std::uint64_t{table.buckets} * 4;
        std::uint32_t index = 0, value = 0;
        if (!load(memory, buckets + std::uint64_t{hash % table.buckets} * 4, index)) return 0;
        if (index < table.first) return 0;
        for (std::size_t step = 0; step < most_chain_steps; ++step, ++index) {
            if (!load(memory, chains + std::uint64_t{index - table.first} * 4, value)) return 0;
            if ((value | 1U) == (hash | 1U))
                if (const std::uintptr_t found = address_if_named(memory, index, name))
                    return found;
            if ((value & 1U) != 0) return 0;
        }
        return 0;
    }

    template <class Memory>
    std::uintptr_t find_by_hash(Memory& memory, const char* name) const {
        std::uint32_t counts[2];
        if (!load(memory, hash_, counts) || counts[0] == 0) return 0;
        std::uint32_t hash = 0;
        for (const char* at = name; *at != 0; ++at) {
            hash = (hash << 4U) + static_cast<unsigned char>(*at);
            hash = (hash ^ ((hash & 0xF0000000U) >> 24U)) & 0x0FFFFFFFU;
        }
        const std::uintptr_t buckets = hash_ + sizeof counts;
        const std::uintptr_t chains = buckets + std::uint64_t{counts[0]} * 4;
        std::uint32_t index = 0;
        if (!load(memory, buckets + std::uint64_t{hash % counts[0]} * 4, index)) return 0;
        for (std::size_t step = 0; step < most_chain_steps && index != 0; ++step) {
            if (const std::uintptr_t found = address_if_named(memory, index, name)) return found;
            if (!load(memory, chains + std::uint64_t{index} * 4, index)) return 0;
        }
        return 0;
    }

    std::uintptr_t bias_ = 0, symbols_ = 0, strings_ = 0, hash_ = 0, gnu_hash_ = 0;
};

// Where the section `name` lies, as the file has it, or 0. For executables that export nothing.
// `memory` is the file: address 0 is its first byte.
template <class Memory>
std::uintptr_t find_section(Memory& memory, const char* name) {
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    const std::size_t size = std::strlen(name) + 1;
    char text[32];
    if (!load_elf_header(memory, 0, header) || header.e_shentsize != sizeof section ||
        size > sizeof text || header.e_shstrndx >= header.e_shnum ||
        !load(memory, header.e_shoff + header.e_shstrndx * sizeof names, names))
        return 0;
    for (std::size_t i = 1; i < header.e_shnum; ++i) {
        if (!load(memory, header.e_shoff + i * sizeof section, section)) return 0;
        if (memory.read(names.sh_offset + section.sh_name, text, size) &&
            std::memcmp(text, name, size) == 0)
            return section.sh_addr;
    }
    return 0;
}

}  // namespace holdfast::frames
