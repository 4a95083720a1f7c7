#include "native/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace holdfast {
namespace {

static_assert(std::endian::native == std::endian::little, "files are read as they are");

constexpr std::size_t most_segments = 256;
constexpr std::size_t most_sections = 4096;
constexpr std::uint64_t page_size = 65'536;  // the largest: some arm64 kernels have it

}  // namespace

bool ElfFile::read_at(std::uint64_t offset, void* into, std::size_t size) const {
    if (offset > size_ || size > size_ - offset) return false;
    auto* to = static_cast<char*>(into);
    while (size > 0) {
        const ssize_t got = ::pread(fd_.get(), to, size, static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        to += got;
        offset += static_cast<std::uint64_t>(got);
        size -= static_cast<std::size_t>(got);
    }
    return true;
}

std::string ElfFile::text_at(std::uint64_t offset, std::size_t limit) const {
    std::string text;
    while (text.size() < limit && offset < size_) {
        const std::size_t piece = std::min<std::uint64_t>({256, size_ - offset, limit});
        const std::size_t had = text.size();
        text.resize(had + piece);
        if (!read_at(offset, text.data() + had, piece)) return {};
        const std::size_t end = text.find('\0', had);
        if (end != std::string::npos) return text.substr(0, end);
        offset += piece;
    }
    return text;
}

std::string ElfFile::name_at(const Elf64_Shdr& strings, std::uint32_t offset) const {
    if (offset >= strings.sh_size || strings.sh_offset > size_) return {};
    return text_at(strings.sh_offset + offset, std::min<std::uint64_t>(8192, strings.sh_size));
}

Result<ElfFile> ElfFile::open(const std::string& path) {
    ElfFile file;
    file.path_ = path;
    file.fd_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.fd_) return Error::from_errno("cannot open " + path);
    struct stat info {};
    if (::fstat(file.fd(), &info) != 0) return Error::from_errno("cannot stat " + path);
    if (!S_ISREG(info.st_mode)) return Error{path + " is not a regular file"};
    file.inode_ = info.st_ino;
    file.size_ = static_cast<std::uint64_t>(std::max<off_t>(info.st_size, 0));
    file.modified_ns_ =
        static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;

    Elf64_Ehdr header{};
    if (!file.read_at(0, &header, sizeof(header)) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return Error{path + " is not an ELF file"};
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
        (header.e_type != ET_DYN && header.e_type != ET_EXEC))
        return Error{path + " is not a program or library of this kind of machine"};
    if (header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= most_segments) {
        file.segments_.resize(header.e_phnum);
        if (!file.read_at(header.e_phoff, file.segments_.data(),
                          file.segments_.size() * sizeof(Elf64_Phdr)))
            file.segments_.clear();
    }
    file.read_sections(header);
    return file;
}

void ElfFile::read_sections(const Elf64_Ehdr& header) {
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > most_sections) return;
    sections_.resize(header.e_shnum);
    if (!read_at(header.e_shoff, sections_.data(), sections_.size() * sizeof(Elf64_Shdr)))
        sections_.clear();
    names_section_ = header.e_shstrndx;
}

std::optional<std::uint64_t> ElfFile::bias(std::uint64_t start, std::uint64_t file_offset) const {
    for (const Elf64_Phdr& segment : segments_) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
        const std::uint64_t from = segment.p_offset / page_size * page_size;
        if (file_offset < from || file_offset >= segment.p_offset + segment.p_filesz) continue;
        return start - (segment.p_vaddr + (file_offset - segment.p_offset));
    }
    return std::nullopt;
}

bool ElfFile::read_address(std::uint64_t address, void* into, std::size_t size) const {
    for (const Elf64_Phdr& segment : segments_) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
        const std::uint64_t within = address - segment.p_vaddr;
        if (address < segment.p_vaddr || within > segment.p_filesz ||
            size > segment.p_filesz - within || segment.p_offset > size_)
            continue;
        return read_at(segment.p_offset + within, into, size);
    }
    return false;
}

std::optional<std::uint64_t> ElfFile::unwind_header() const {
    for (const Elf64_Phdr& segment : segments_)
        if (segment.p_type == PT_GNU_EH_FRAME) return segment.p_vaddr;
    return std::nullopt;
}

const Elf64_Shdr* ElfFile::find(std::uint32_t type) const {
    for (const Elf64_Shdr& section : sections_)
        if (section.sh_type == type) return &section;
    return nullptr;
}

const Elf64_Shdr* ElfFile::find(std::string_view name) const {
    if (names_section_ >= sections_.size()) return nullptr;
    for (const Elf64_Shdr& section : sections_)
        if (section.sh_type != SHT_NOBITS &&
            name_at(sections_[names_section_], section.sh_name) == name)
            return &section;
    return nullptr;
}

std::string ElfFile::build_id() const {
    // Searches by section: a separate debug file has the note in a section, while its segments are
    // empty.
    for (const Elf64_Shdr& section : sections_) {
        if (section.sh_type != SHT_NOTE || section.sh_size > 4096) continue;
        std::string notes(section.sh_size, '\0');
        if (!read_at(section.sh_offset, notes.data(), notes.size())) continue;
        std::size_t at = 0;
        Elf64_Nhdr note{};
        while (notes.size() - at >= sizeof(note)) {
            std::memcpy(&note, notes.data() + at, sizeof(note));
            at += sizeof(note);
            const std::size_t name = (std::size_t{note.n_namesz} + 3) / 4 * 4;
            const std::size_t body = (std::size_t{note.n_descsz} + 3) / 4 * 4;
            if (name + body > notes.size() - at) break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                notes.compare(at, 4, std::string_view("GNU\0", 4)) == 0)
                return notes.substr(at + name, note.n_descsz);
            at += name + body;
        }
    }
    return {};
}

std::string ElfFile::debug_link() const {
    const Elf64_Shdr* section = find(".gnu_debuglink");
    if (section == nullptr) return {};
    std::string name = text_at(section->sh_offset, std::min<std::uint64_t>(255, section->sh_size));
    // Accepts a name, not a path: "../../home/u/trap" is no debug file.
    if (name == "." || name == ".." || name.find('/') != std::string::npos) return {};
    return name;
}

}  // namespace holdfast
