// Looks for the note that Go's linker puts into every executable.
#include "agent/signals/runtime.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstdint>
#include <cstring>

namespace holdfast::agent {

bool is_go_program() {
    const std::uintptr_t table = ::getauxval(AT_PHDR);
    const unsigned long count = ::getauxval(AT_PHNUM);
    if (table == 0) return false;
    const auto* parts = reinterpret_cast<const ElfW(Phdr)*>(table);
    std::uintptr_t bias = 0;
    for (unsigned long i = 0; i < count; ++i)
        if (parts[i].p_type == PT_PHDR) bias = table - parts[i].p_vaddr;
    for (unsigned long i = 0; i < count; ++i) {
        if (parts[i].p_type != PT_NOTE) continue;
        std::uintptr_t at = bias + parts[i].p_vaddr;
        const std::uintptr_t end = at + parts[i].p_memsz;
        while (at + sizeof(ElfW(Nhdr)) <= end) {
            const auto& note = *reinterpret_cast<const ElfW(Nhdr)*>(at);
            const auto* name = reinterpret_cast<const char*>(at + sizeof note);
            if (note.n_namesz == 4 && std::memcmp(name, "Go\0", 4) == 0) return true;
            at += sizeof note + (note.n_namesz + 3U) / 4 * 4 + (note.n_descsz + 3U) / 4 * 4;
        }
    }
    return false;
}

}  // namespace holdfast::agent
