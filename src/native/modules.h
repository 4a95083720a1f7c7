// The files behind a crash's addresses, opened as far as the crash needs them.
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
    // Opens only files that the pc, a register or a word of the stack copy points into: a training
    // process maps hundreds, a stack meets a dozen.
    explicit NativeModules(const CrashRecord& crash);

    // The mapping at this address, whether or not its file could be used.
    const CrashModule* mapping(std::uint64_t address) const;
    // The file behind it; null when it changed, is gone, or is no file.
    const NativeModule* file(std::uint64_t address) const;
    const std::vector<NativeModule>& files() const { return files_; }
    // Why the file behind this address was passed over; empty when it was not.
    std::string note(std::uint64_t address) const;

private:
    void open(std::size_t mapping);

    const CrashRecord& crash_;
    std::vector<NativeModule> files_;
    std::vector<std::optional<std::size_t>> file_of_;  // by mapping, into files_
    std::vector<std::string> notes_;                   // by mapping
};

// The separate debug file of a library, in the usual places, if its build id says it is the right
// one. Never asks a server.
std::optional<std::string> debug_file(const ElfFile& file);

// "libtorch_cpu.so" of a path; "[vdso]" as it is; "[anonymous]" for memory without a file, where
// compilers at run time put their code.
std::string library_name(const CrashModule& mapping);

}  // namespace holdfast
