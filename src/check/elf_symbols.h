// The symbols that an ELF file needs from other files, and those that it defines: the loader
// matches them at an import. Versions of symbols are ignored here; the check library-versions
// judges those.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/elf_facts.h"

namespace holdfast::check {

// Symbols that another file must define; without the weak ones.
Result<std::vector<std::string>> wanted_symbols(const ReadAt& read);

// Which of the names the file defines; an error where its tables cannot be read.
Result<std::vector<std::string>> defined_symbols(const ReadAt& read,
                                                 const std::vector<std::string>& names);

}  // namespace holdfast::check
