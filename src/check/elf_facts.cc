#include "check/elf_facts.h"

#include <elf.h>

#include <cstring>
#include <optional>

#include "base/text.h"

namespace holdfast::check {
namespace {

constexpr std::size_t most_segments = 128;
constexpr std::size_t most_dynamic = 4096;
constexpr std::size_t most_versions = 4096;
constexpr std::size_t longest_name = 4096;

struct LoadedPart {
    std::uint64_t address = 0, offset = 0, size = 0;
};

class ElfFile {
public:
    explicit ElfFile(const ReadAt& read) : read_(read) {}

    Result<ElfFacts> parse() {
        Elf64_Ehdr header;
        if (!get(0, header)) return Error{"too short for an ELF file"};
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return Error{"not an ELF file"};
        if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
            return Error{"not a 64-bit little-endian ELF file"};
        facts_.machine = header.e_machine;
        std::optional<Elf64_Phdr> dynamic;
        for (std::size_t i = 0; i < header.e_phnum && i < most_segments; ++i) {
            Elf64_Phdr part;
            if (!get(header.e_phoff + i * sizeof part, part)) return Error{"cut short"};
            if (part.p_type == PT_LOAD)
                segments_.push_back({part.p_vaddr, part.p_offset, part.p_filesz});
            if (part.p_type == PT_DYNAMIC) dynamic = part;
            if (part.p_type == PT_INTERP) facts_.interpreter = text_at(part.p_offset);
        }
        if (dynamic && !read_dynamic(*dynamic)) return Error{"cut short"};
        return std::move(facts_);
    }

private:
    template <class T>
    bool get(std::uint64_t offset, T& value) {
        return read_(offset, &value, sizeof value);
    }

    std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
        for (const LoadedPart& part : segments_)
            if (address >= part.address && address - part.address < part.size)
                return part.offset + (address - part.address);
        return std::nullopt;
    }

    std::string text_at(std::uint64_t offset) {
        std::string text;
        // Piece by piece: the end of the file may be near.
        for (char c = 0; text.size() < longest_name && get(offset + text.size(), c) && c != 0;)
            text += c;
        return text;
    }
    std::string name(std::uint64_t index) { return strings_ ? text_at(*strings_ + index) : ""; }

    bool read_dynamic(const Elf64_Phdr& part) {
        std::vector<Elf64_Dyn> entries;
        std::uint64_t need = 0, definition = 0;
        for (std::size_t i = 0; i < part.p_filesz / sizeof(Elf64_Dyn) && i < most_dynamic; ++i) {
            Elf64_Dyn entry;
            if (!get(part.p_offset + i * sizeof entry, entry)) return false;
            if (entry.d_tag == DT_NULL) break;
            if (entry.d_tag == DT_STRTAB) strings_ = offset_of(entry.d_un.d_ptr);
            if (entry.d_tag == DT_VERNEED) need = entry.d_un.d_ptr;
            if (entry.d_tag == DT_VERDEF) definition = entry.d_un.d_ptr;
            entries.push_back(entry);
        }
        for (const Elf64_Dyn& entry : entries) {
            if (entry.d_tag == DT_NEEDED) facts_.needed.push_back(name(entry.d_un.d_val));
            if (entry.d_tag == DT_SONAME) facts_.soname = name(entry.d_un.d_val);
            if (entry.d_tag == DT_RPATH) facts_.rpath = name(entry.d_un.d_val);
            if (entry.d_tag == DT_RUNPATH) facts_.runpath = name(entry.d_un.d_val);
        }
        if (const auto at = offset_of(need); need != 0 && at) read_needs(*at);
        if (const auto at = offset_of(definition); definition != 0 && at) read_offers(*at);
        return true;
    }

    void read_needs(std::uint64_t at) {
        Elf64_Verneed need;
        for (std::size_t i = 0; i < most_versions && get(at, need); ++i) {
            const std::string library = name(need.vn_file);
            Elf64_Vernaux version;
            std::uint64_t next = at + need.vn_aux;
            for (std::size_t k = 0; k < need.vn_cnt && get(next, version); ++k) {
                if (facts_.needs.size() >= most_versions) return;
                facts_.needs.push_back({library, name(version.vna_name)});
                if (version.vna_next == 0) break;
                next += version.vna_next;
            }
            if (need.vn_next == 0) return;
            at += need.vn_next;
        }
    }

    void read_offers(std::uint64_t at) {
        Elf64_Verdef definition;
        for (std::size_t i = 0; i < most_versions && get(at, definition); ++i) {
            Elf64_Verdaux own;
            if (get(at + definition.vd_aux, own)) facts_.offers.push_back(name(own.vda_name));
            if (definition.vd_next == 0) return;
            at += definition.vd_next;
        }
    }

    const ReadAt& read_;
    ElfFacts facts_;
    std::vector<LoadedPart> segments_;
    std::optional<std::uint64_t> strings_;
};

}  // namespace

Result<ElfFacts> parse_elf(const ReadAt& read) { return ElfFile(read).parse(); }

Result<ElfFacts> parse_elf(std::string_view bytes) {
    return parse_elf([bytes](std::uint64_t offset, void* into, std::size_t size) {
        if (offset > bytes.size() || size > bytes.size() - offset) return false;
        std::memcpy(into, bytes.data() + offset, size);
        return true;
    });
}

std::string to_text(const ElfFacts& facts) {
    std::string text = "machine " + std::to_string(facts.machine) + '\n';
    const auto line = [&](std::string_view key, const std::string& value) {
        if (!value.empty()) text += std::string(key) + ' ' + value + '\n';
    };
    line("soname", facts.soname);
    line("interpreter", facts.interpreter);
    line("rpath", facts.rpath);
    line("runpath", facts.runpath);
    for (const std::string& library : facts.needed) line("needed", library);
    for (const VersionNeed& need : facts.needs) line("needs", need.library + ' ' + need.version);
    for (const std::string& version : facts.offers) line("offers", version);
    return text;
}

ElfFacts elf_from_text(std::string_view text) {
    ElfFacts facts;
    while (const auto line = next_line(text)) {
        std::string_view rest = *line;
        const auto key = next_piece(rest, ' ');
        const std::string value(rest);
        if (key == "machine") facts.machine = parse_number<std::uint16_t>(rest).value_or(0);
        if (key == "soname") facts.soname = value;
        if (key == "interpreter") facts.interpreter = value;
        if (key == "rpath") facts.rpath = value;
        if (key == "runpath") facts.runpath = value;
        if (key == "needed") facts.needed.push_back(value);
        if (key == "offers") facts.offers.push_back(value);
        if (key == "needs") {
            const auto library = next_piece(rest, ' ');
            facts.needs.push_back({std::string(library.value_or("")), std::string(rest)});
        }
    }
    return facts;
}

}  // namespace holdfast::check
