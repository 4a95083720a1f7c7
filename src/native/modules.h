// The files behind a crash's addresses; opens only those that the crash needs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "native/elf_file.h"
#include "record/crash_box.h"

namespace holdfast {

struct NativeModule {
    ElfFile file;
    std::uint64_t bias = 0;  // run-time address minus the file's address
};

class NativeModules {
public:
    // Opens only files that the pc, a register or a word of the copied stack points into: a
    // training process maps hundreds of files, and a stack needs a dozen.
    explicit NativeModules(const CrashRecord& crash);

    // The mapping of this address, even if its file could not be used.
    const CrashModule* mapping(std::uint64_t address) const;
    // The file of this address; null if it changed, is gone, or there is none.
    const NativeModule* file(std::uint64_t address) const;
    const std::vector<NativeModule>& files() const { return files_; }
    // Why the file of this address was not used; empty if it was.
    std::string note(std::uint64_t address) const;

private:
    void open(std::size_t mapping);

    const CrashRecord& crash_;
    std::vector<NativeModule> files_;
    std::vector<std::optional<std::size_t>> file_of_;  // by mapping, into files_
    std::vector<std::string> notes_;                   // by mapping
};

// The separate debug file of a library, in the usual places, if its build id matches. Never asks a
// server.
std::optional<std::string> debug_file(const ElfFile& file);

// "libtorch_cpu.so" for a path, "[vdso]" as it is, "[anonymous]" for memory without a file, where
// JIT compilers put their code.
std::string library_name(const CrashModule& mapping);

}  // namespace holdfast
