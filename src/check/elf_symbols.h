// The names that an ELF file wants from others, and those it has to give: what the loader matches
// at an import. Versions of symbols are not looked at; library-versions judges those.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "check/elf_facts.h"

namespace holdfast::check {

// Names that must be found elsewhere; weak ones need not be.
Result<std::vector<std::string>> wanted_symbols(const ReadAt& read);

// Which of the names the file defines; an error where its tables cannot be read.
Result<std::vector<std::string>> defined_symbols(const ReadAt& read,
                                                 const std::vector<std::string>& names);

}  // namespace holdfast::check
