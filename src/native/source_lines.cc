#include "native/source_lines.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "native/libdw.h"

namespace holdfast {

#ifdef HOLDFAST_HAVE_LIBDW
namespace {

// Replaces libdwfl's standard callbacks, which would ask debuginfod servers.
int find_no_elf(Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**) { return -1; }

int find_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char* file_name,
                    const char*, GElf_Word, char** found) {
    if (file_name == nullptr) return -1;  // libdw asks for a supplementary file (dwz): not worth it
    const Result<ElfFile> file = ElfFile::open(file_name);
    const auto path = file ? debug_file(*file) : std::nullopt;
    if (!path) return -1;
    const int fd = ::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0) *found = ::strdup(path->c_str());
    return fd;
}

constexpr Dwfl_Callbacks file_callbacks{find_no_elf, find_debug_file, nullptr, nullptr};

class DwLines : public SourceLines {
public:
    DwLines(const LibDw& dw, const NativeModules& modules)
        : dw_(dw), dwfl_(dw.begin(&file_callbacks)) {
        if (dwfl_ == nullptr) return;
        for (const NativeModule& module : modules.files()) {
            const char* path = module.file.path().c_str();
            const int fd = ::fcntl(module.file.fd(), F_DUPFD_CLOEXEC, 3);
            if (fd >= 0 && dw.report_elf(dwfl_, path, path, fd, module.bias, true) == nullptr)
                ::close(fd);
        }
        dw.report_end(dwfl_, nullptr, nullptr);
    }
    DwLines(const DwLines&) = delete;
    DwLines& operator=(const DwLines&) = delete;
    ~DwLines() override {
        if (dwfl_ != nullptr) dw_.end(dwfl_);
    }

    std::optional<SourcePlace> place(std::uint64_t address) override {
        Dwfl_Module* module = dwfl_ == nullptr ? nullptr : dw_.addrmodule(dwfl_, address);
        if (module == nullptr) return std::nullopt;
        int number = 0;
        const char* file = nullptr;
        if (Dwfl_Line* line = dw_.module_getsrc(module, address))
            file = dw_.lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
        else
            file = search_units(module, address, number);
        if (file == nullptr || number <= 0) return std::nullopt;  // line 0: generated code
        return SourcePlace{file, number};
    }

private:
    // clang writes no table of addresses (.debug_aranges), and older versions of libdw look nowhere
    // else.
    const char* search_units(Dwfl_Module* module, std::uint64_t address, int& number) {
        Dwarf_Addr bias = 0;
        for (Dwarf_Die* unit = dw_.module_nextcu(module, nullptr, &bias); unit != nullptr;
             unit = dw_.module_nextcu(module, unit, &bias)) {
            if (dw_.haspc(unit, address - bias) != 1) continue;
            Dwarf_Line* line = dw_.getsrc_die(unit, address - bias);
            if (line == nullptr || dw_.lineno(line, &number) != 0) return nullptr;
            return dw_.linesrc(line, nullptr, nullptr);
        }
        return nullptr;
    }

    const LibDw& dw_;
    Dwfl* dwfl_;
};

}  // namespace
#endif

std::unique_ptr<SourceLines> SourceLines::of(const NativeModules& modules) {
#ifdef HOLDFAST_HAVE_LIBDW
    if (const LibDw* dw = LibDw::load()) return std::make_unique<DwLines>(*dw, modules);
#else
    static_cast<void>(modules);
#endif
    return nullptr;
}

}  // namespace holdfast
