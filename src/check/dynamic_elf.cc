#include "check/dynamic_elf.h"

#include <cstring>

namespace holdfast::check {
namespace {

constexpr std::size_t most_segments = 128;
constexpr std::size_t most_dynamic = 4096;
constexpr std::size_t longest_name = 4096;

}  // namespace

Status DynamicElf::open() {
    Elf64_Ehdr header;
    if (!get(0, header)) return Error{"too short for an ELF file"};
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Error{"not an ELF file"};
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return Error{"not a 64-bit little-endian ELF file"};
    machine_ = header.e_machine;
    std::optional<Elf64_Phdr> dynamic;
    for (std::size_t i = 0; i < header.e_phnum && i < most_segments; ++i) {
        Elf64_Phdr part;
        if (!get(header.e_phoff + i * sizeof part, part)) return Error{"cut short"};
        if (part.p_type == PT_LOAD) loaded_.push_back(part);
        if (part.p_type == PT_DYNAMIC) dynamic = part;
        if (part.p_type == PT_INTERP) interpreter_ = text_at(part.p_offset);
    }
    return dynamic ? read_dynamic(*dynamic) : Status(Done{});
}

std::optional<std::uint64_t> DynamicElf::offset_of(std::uint64_t address) const {
    for (const Elf64_Phdr& part : loaded_)
        if (address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
            return part.p_offset + (address - part.p_vaddr);
    return std::nullopt;
}

std::string DynamicElf::name(std::uint64_t index) const {
    return strings_ ? text_at(*strings_ + index) : "";
}

std::string DynamicElf::text_at(std::uint64_t offset) const {
    std::string text;
    // Piece by piece: the end of the file may be near.
    for (char c = 0; text.size() < longest_name && get(offset + text.size(), c) && c != 0;)
        text += c;
    return text;
}

Status DynamicElf::read_dynamic(const Elf64_Phdr& part) {
    for (std::size_t i = 0; i < part.p_filesz / sizeof(Elf64_Dyn) && i < most_dynamic; ++i) {
        Elf64_Dyn entry;
        if (!get(part.p_offset + i * sizeof entry, entry)) return Error{"cut short"};
        if (entry.d_tag == DT_NULL) break;
        if (entry.d_tag == DT_STRTAB) strings_ = offset_of(entry.d_un.d_ptr);
        dynamic_.push_back(entry);
    }
    return Done{};
}

}  // namespace holdfast::check
