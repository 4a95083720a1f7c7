#include "evidence/native_unwind.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evidence/native_dw.h"

namespace holdfast {
namespace {

class NullUnwinder : public Unwinder {
public:
    NullUnwinder(const CrashRecord& crash, std::string missing)
        : pc_(crash.pc), missing_(std::move(missing)) {}
    std::vector<RawFrame> frames(std::size_t most) override {
        if (!pc_ || most == 0) return {};
        return {{*pc_, false, false, std::nullopt}};
    }
    std::optional<SourcePlace> place(std::uint64_t) override { return std::nullopt; }
    std::string missing() const override { return missing_; }

private:
    std::optional<std::uint64_t> pc_;
    std::string missing_;
};

#ifdef HOLDFAST_HAVE_LIBDW

// The standard callbacks of libdwfl would ask debuginfod servers.
int find_no_elf(Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**) { return -1; }

int find_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char* file_name,
                    const char*, GElf_Word, char** found) {
    if (file_name == nullptr) return -1;  // asks for a supplement (dwz): not worth the looking
    const Result<ElfFile> file = ElfFile::open(file_name);
    const auto path = file ? debug_file(*file) : std::nullopt;
    if (!path) return -1;
    const int fd = ::open(path->c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0) *found = ::strdup(path->c_str());
    return fd;
}

constexpr Dwfl_Callbacks file_callbacks{find_no_elf, find_debug_file, nullptr, nullptr};
constexpr int only_thread = 1;

class DwUnwinder : public Unwinder {
public:
    DwUnwinder(const LibDw& dw, const CrashRecord& crash, const NativeModules& modules)
        : dw_(dw), crash_(crash), modules_(modules), dwfl_(dw.begin(&file_callbacks)) {
        if (dwfl_ == nullptr) return;
        for (const NativeModule& module : modules.files()) {
            const char* path = module.file.path().c_str();
            const int fd = ::fcntl(module.file.fd(), F_DUPFD_CLOEXEC, 3);
            if (fd >= 0 && dw.report_elf(dwfl_, path, path, fd, module.bias, true) == nullptr)
                ::close(fd);
        }
        dw.report_end(dwfl_, nullptr, nullptr);
    }
    DwUnwinder(const DwUnwinder&) = delete;
    DwUnwinder& operator=(const DwUnwinder&) = delete;
    ~DwUnwinder() override {
        if (dwfl_ != nullptr) dw_.end(dwfl_);
    }

    std::vector<RawFrame> frames(std::size_t most) override {
        frames_.clear();
        std::optional<Registers> start = registers_of(crash_);
        if (!start || dwfl_ == nullptr || most == 0) return {};
        most_ = most;
        first_ = true;
        if (auto caller = caller_of_nowhere(crash_, modules_, *start)) {
            frames_.push_back({start->pc, false, false, start->sp});
            start = std::move(caller);
        }
        start_ = std::move(*start);
        const bool attached =
            attached_ || dw_.attach_state(dwfl_, nullptr, only_thread, &thread_callbacks, this);
        attached_ = attached;
        if (attached) dw_.getthread_frames(dwfl_, only_thread, on_frame, this);
        if (frames_.empty()) frames_.push_back({start_.pc, false, false, start_.sp});
        return frames_;
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
        if (file == nullptr || number <= 0) return std::nullopt;  // line 0: the compiler's own
        return SourcePlace{file, number};
    }

    std::string missing() const override { return {}; }

private:
    // clang writes no table of addresses (.debug_aranges), and older libdw looks nowhere else.
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

    static DwUnwinder& self(void* arg) { return *static_cast<DwUnwinder*>(arg); }

    static pid_t next_thread(Dwfl*, void* arg, void** thread_arg) {
        if (*thread_arg != nullptr) return 0;
        *thread_arg = arg;
        return only_thread;
    }
    static bool get_thread(Dwfl*, pid_t tid, void* arg, void** thread_arg) {
        *thread_arg = arg;
        return tid == only_thread;
    }
    static bool read_memory(Dwfl*, Dwarf_Addr address, Dwarf_Word* result, void* arg) {
        const auto word = read_word(self(arg).crash_, self(arg).modules_, address);
        if (word) *result = *word;
        return word.has_value();
    }
    static bool set_registers(Dwfl_Thread* thread, void* arg) {
        const DwUnwinder& own = self(arg);
        std::vector<Dwarf_Word> values(own.start_.dwarf.begin(), own.start_.dwarf.end());
        // libdw takes the first pc for one that was running. Of a call, the last byte was.
        const Dwarf_Word pc = own.start_.pc - (own.start_.returned ? 1 : 0);
        if (own.crash_.machine == format::CrashMachine::x86_64) values.back() = pc;
        if (!own.dw_.thread_state_registers(thread, 0, static_cast<unsigned>(values.size()),
                                            values.data()))
            return false;
        own.dw_.thread_state_register_pc(thread, pc);
        return true;
    }
    static int on_frame(Dwfl_Frame* frame, void* arg) { return self(arg).add(frame); }

    int add(Dwfl_Frame* frame) {
        RawFrame raw;
        bool activation = false;
        if (!dw_.frame_pc(frame, &raw.pc, &activation)) return DWARF_CB_ABORT;
        raw.call = !activation;
        if (first_ && start_.returned) {
            raw.pc = start_.pc;
            raw.call = true;
        }
        const bool first = std::exchange(first_, false);
        Dwarf_Word sp = 0;
        const unsigned sp_number = crash_.machine == format::CrashMachine::x86_64 ? 7 : 31;
        if (first)
            raw.sp = start_.sp;
        else if (dw_.frame_reg != nullptr && dw_.frame_reg(frame, sp_number, &sp) == 0)
            raw.sp = sp;
        // A caller's part of the stack lies above: what goes round in circles is damage. Only a
        // signal frame may lead to another stack, and a leaf on aarch64 may have none of its own.
        if (!first && raw.call && raw.sp && frames_.back().sp) {
            const bool leaf = frames_.size() == 1;
            if (leaf ? *raw.sp < *frames_.back().sp : *raw.sp <= *frames_.back().sp)
                return DWARF_CB_ABORT;
        }
        // libdw counts both as running: what the signal interrupted, and the frame the kernel made
        // above it, whose pc is the beginning of a function rather than the end of a call.
        if (!first && !raw.call && !frames_.back().call && frames_.size() > 1)
            frames_.back().trampoline = true;
        frames_.push_back(raw);
        // Where no table describes the frame libdw follows the frame pointer, which may be
        // anything.
        if (frames_.size() >= most_ || !described(raw.instruction())) return DWARF_CB_ABORT;
        return DWARF_CB_OK;
    }

    bool described(std::uint64_t address) {
        Dwfl_Module* module = dw_.addrmodule(dwfl_, address);
        if (module == nullptr) return false;
        Dwarf_Addr bias = 0;
        for (const auto tables : {dw_.module_eh_cfi, dw_.module_dwarf_cfi}) {
            Dwarf_CFI* cfi = tables(module, &bias);
            Dwarf_Frame* row = nullptr;
            if (cfi == nullptr || dw_.cfi_addrframe(cfi, address - bias, &row) != 0) continue;
            ::free(row);
            return true;
        }
        return false;
    }

    static constexpr Dwfl_Thread_Callbacks thread_callbacks{next_thread,   get_thread, read_memory,
                                                            set_registers, nullptr,    nullptr};

    const LibDw& dw_;
    const CrashRecord& crash_;
    const NativeModules& modules_;
    Dwfl* dwfl_;
    bool attached_ = false;
    bool first_ = true;
    std::size_t most_ = 0;
    Registers start_;
    std::vector<RawFrame> frames_;
};

#endif

}  // namespace

std::unique_ptr<Unwinder> make_null_unwinder(const CrashRecord& crash, std::string missing) {
    return std::make_unique<NullUnwinder>(crash, std::move(missing));
}

std::unique_ptr<Unwinder> make_unwinder(const CrashRecord& crash, const NativeModules& modules) {
#ifdef HOLDFAST_HAVE_LIBDW
    if (const LibDw* dw = LibDw::load()) return std::make_unique<DwUnwinder>(*dw, crash, modules);
    return make_null_unwinder(
        crash, "native stack: libdw (elfutils) is not installed; only the faulting place is known");
#else
    static_cast<void>(modules);
    return make_null_unwinder(
        crash, "native stack: built without elfutils; only the faulting place is known");
#endif
}

}  // namespace holdfast
