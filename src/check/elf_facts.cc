#include "check/elf_facts.h"

#include <cstring>
#include <optional>

#include "base/text.h"
#include "check/dynamic_elf.h"

namespace holdfast::check {
namespace {

constexpr std::size_t most_versions = 4096;

void read_needs(const DynamicElf& file, std::uint64_t at, ElfFacts& facts) {
    Elf64_Verneed need;
    for (std::size_t i = 0; i < most_versions && file.get(at, need); ++i) {
        const std::string library = file.name(need.vn_file);
        Elf64_Vernaux version;
        std::uint64_t next = at + need.vn_aux;
        for (std::size_t k = 0; k < need.vn_cnt && file.get(next, version); ++k) {
            if (facts.needs.size() >= most_versions) return;
            facts.needs.push_back({library, file.name(version.vna_name)});
            if (version.vna_next == 0) break;
            next += version.vna_next;
        }
        if (need.vn_next == 0) return;
        at += need.vn_next;
    }
}

void read_offers(const DynamicElf& file, std::uint64_t at, ElfFacts& facts) {
    Elf64_Verdef definition;
    for (std::size_t i = 0; i < most_versions && file.get(at, definition); ++i) {
        Elf64_Verdaux own;
        if (file.get(at + definition.vd_aux, own)) facts.offers.push_back(file.name(own.vda_name));
        if (definition.vd_next == 0) return;
        at += definition.vd_next;
    }
}

}  // namespace

Result<ElfFacts> parse_elf(const ReadAt& read) {
    DynamicElf file(read);
    if (const Status opened = file.open(); !opened) return opened.error();
    ElfFacts facts;
    facts.machine = file.machine();
    facts.interpreter = file.interpreter();
    std::optional<std::uint64_t> needs, offers;
    for (const Elf64_Dyn& entry : file.dynamic()) {
        if (entry.d_tag == DT_NEEDED) facts.needed.push_back(file.name(entry.d_un.d_val));
        if (entry.d_tag == DT_SONAME) facts.soname = file.name(entry.d_un.d_val);
        if (entry.d_tag == DT_RPATH) facts.rpath = file.name(entry.d_un.d_val);
        if (entry.d_tag == DT_RUNPATH) facts.runpath = file.name(entry.d_un.d_val);
        if (entry.d_tag == DT_VERNEED) needs = file.offset_of(entry.d_un.d_ptr);
        if (entry.d_tag == DT_VERDEF) offers = file.offset_of(entry.d_un.d_ptr);
    }
    if (needs) read_needs(file, *needs, facts);
    if (offers) read_offers(file, *offers, facts);
    return facts;
}

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
