// The parts of an ELF file that are needed to name an address: where it was loaded, its symbols,
// its build id, its separate debug file. Read with pread: a mapping of a file that shrinks is a
// SIGBUS.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast {

struct ElfSymbol {
    std::string name;          // mangled
    std::uint64_t offset = 0;  // of the given address, within the symbol
};

class ElfFile {
public:
    // Regular files only: opening anything else may block or have side effects.
    static Result<ElfFile> open(const std::string& path);

    int fd() const { return fd_.get(); }
    const std::string& path() const { return path_; }
    std::uint64_t inode() const { return inode_; }
    std::int64_t modified_ns() const { return modified_ns_; }  // since 1970

    // What to add to the file's addresses, given that `file_offset` was mapped, executable, at
    // `start`. Nothing when the file has no such segment: it is not the file that was mapped.
    std::optional<std::uint64_t> bias(std::uint64_t start, std::uint64_t file_offset) const;

    // The symbols that contain these addresses of the file. One pass over the table for all of
    // them: a large library has half a million symbols. Nothing if no symbol contains an address:
    // the nearest one before it would be a guess.
    std::vector<std::optional<ElfSymbol>> symbols(std::span<const std::uint64_t> addresses) const;
    bool has_full_symbols() const { return find(SHT_SYMTAB) != nullptr; }

    // Reads bytes that never change at run time: code and constants. False if the file has none
    // there.
    bool read_address(std::uint64_t address, void* into, std::size_t size) const;

    // The address of .eh_frame_hdr, the sorted table of the unwind information.
    std::optional<std::uint64_t> unwind_header() const;

    std::string build_id() const;    // bytes; empty without one
    std::string debug_link() const;  // file name; empty without one

private:
    ElfFile() = default;
    bool read_at(std::uint64_t offset, void* into, std::size_t size) const;
    std::string text_at(std::uint64_t offset, std::size_t limit) const;
    std::string name_at(const Elf64_Shdr& strings, std::uint32_t offset) const;
    const Elf64_Shdr* find(std::uint32_t type) const;
    const Elf64_Shdr* find(std::string_view name) const;
    void read_sections(const Elf64_Ehdr& header);

    UniqueFd fd_;
    std::string path_;
    std::uint64_t inode_ = 0;
    std::uint64_t size_ = 0;
    std::int64_t modified_ns_ = 0;
    std::uint32_t names_section_ = 0;
    std::vector<Elf64_Phdr> segments_;
    std::vector<Elf64_Shdr> sections_;
};

}  // namespace holdfast
