// Symbols of a loaded library, found by reading its tables: dlsym takes the loader's lock, which a
// crashed process may hold for ever.
#pragma once

#include <cstdint>

#include "agent/base/text.h"

namespace holdfast::agent {

struct Symbol {
    std::uintptr_t address = 0;  // 0: not found
    std::uint64_t size = 0;
    // A call that never returns may be the last instruction, and its return address the end.
    bool returns_to(std::uint64_t pc) const { return pc > address && pc - address <= size; }
};

class LoadedLibrary {
public:
    // `base`: where the file's first page is mapped.
    explicit LoadedLibrary(std::uintptr_t base);
    Symbol find(Text name) const;

private:
    std::uintptr_t bias_ = 0, symbols_ = 0, strings_ = 0, hash_ = 0;
};

}  // namespace holdfast::agent
