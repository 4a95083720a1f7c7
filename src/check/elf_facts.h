// What the dynamic loader reads from an ELF file: what it needs, where to look for that, and which
// versions it offers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::check {

struct VersionNeed {
    std::string library;  // "libstdc++.so.6"
    std::string version;  // "GLIBCXX_3.4.29"
};

struct ElfFacts {
    std::uint16_t machine = 0;   // EM_X86_64 is 62, EM_AARCH64 183
    std::string soname;          // may be empty
    std::string interpreter;     // of programs
    std::string rpath, runpath;  // as written, with $ORIGIN
    std::vector<std::string> needed;
    std::vector<VersionNeed> needs;
    std::vector<std::string> offers;  // "GLIBCXX_3.4.30"
};

// Fills `into` with `size` bytes at `offset`; false if the file does not have that many.
using ReadAt = std::function<bool(std::uint64_t offset, void* into, std::size_t size)>;

// 64-bit files in our own byte order. Reads are bounded, whatever the file claims.
Result<ElfFacts> parse_elf(const ReadAt& read);
Result<ElfFacts> parse_elf(std::string_view bytes);

// The form in a record: one line per fact.
std::string to_text(const ElfFacts& facts);
ElfFacts elf_from_text(std::string_view text);

}  // namespace holdfast::check
