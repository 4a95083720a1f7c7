#include "evidence/crash_facts.h"

#include <signal.h>

#include <algorithm>
#include <array>

#include "model/library_name.h"
#include "native/modules.h"

namespace holdfast {
namespace {

// A larger object at null exists, but nothing else makes addresses so small.
constexpr std::uint64_t first_mappable = 65'536;
// A thread's guard is one page, the gap below the main stack 256 pages; a function with a large
// frame may touch an address further down.
constexpr std::uint64_t guard_reach = std::uint64_t{16} << 20U;
// When a stack overflows, the stack pointer is near its end.
constexpr std::uint64_t near_the_end = 65'536;

constexpr std::size_t x86_64_error = 19;  // REG_ERR
constexpr std::uint64_t error_write = 2, error_fetch = 16;

// Names of functions, without arguments.
bool any_function(const std::vector<NativeFrame>& frames, std::size_t among_first,
                  std::initializer_list<std::string_view> names) {
    const std::size_t count = std::min(frames.size(), among_first);
    for (std::size_t i = 0; i < count; ++i) {
        const std::string_view symbol = frames[i].symbol;
        for (const std::string_view name : names)
            if (symbol.starts_with(name) &&
                (symbol.size() == name.size() || symbol[name.size()] == '(' ||
                 symbol[name.size()] == '@' || symbol[name.size()] == '.'))
                return true;
    }
    return false;
}

}  // namespace

bool is_stack_overflow(const CrashRecord& crash) {
    if (crash.signal != SIGSEGV && crash.signal != SIGBUS) return false;
    if (!crash.address || !crash.stack_low || !crash.sp) return false;
    const std::uint64_t low = *crash.stack_low;
    const std::uint64_t reach = std::min(low, guard_reach);
    // Requires both: the touched address and the stack pointer are at the end of the stack. One
    // alone is a stray pointer, or a handler's own stack.
    const bool touched = *crash.address >= low - reach && *crash.address < low + near_the_end;
    const bool stood = *crash.sp >= low - reach && *crash.sp < low + near_the_end;
    return touched && stood;
}

bool is_null_access(const CrashRecord& crash) {
    return crash.signal == SIGSEGV && crash.address && *crash.address < first_mappable;
}

bool is_bad_call(const CrashRecord& crash) {
    if (crash.signal != SIGSEGV && crash.signal != SIGBUS) return false;
    return crash.address && crash.pc && *crash.address == *crash.pc;
}

std::optional<FaultAccess> fault_access(const CrashRecord& crash) {
    if (crash.machine != format::CrashMachine::x86_64 || crash.signal != SIGSEGV ||
        !crash.address || crash.registers.size() <= x86_64_error)
        return std::nullopt;
    const std::uint64_t error = crash.registers[x86_64_error];
    if ((error & error_fetch) != 0) return FaultAccess::execute;
    return (error & error_write) != 0 ? FaultAccess::write : FaultAccess::read;
}

bool is_lost_file_page(const CrashRecord& crash) {
    return crash.signal == SIGBUS && crash.code == BUS_ADRERR;
}

bool is_memory_error(const CrashRecord& crash) {
    return crash.signal == SIGBUS && (crash.code == BUS_MCEERR_AR || crash.code == BUS_MCEERR_AO);
}

bool is_wild_address(const CrashRecord& crash) {
    return crash.signal == SIGSEGV && crash.code == SI_KERNEL;
}

const CrashModule* module_at(const CrashRecord& crash, std::uint64_t address) {
    const auto found =
        std::find_if(crash.modules.begin(), crash.modules.end(),
                     [&](const CrashModule& module) { return module.holds(address); });
    return found == crash.modules.end() ? nullptr : &*found;
}

std::string faulting_library(const CrashRecord& crash) {
    const CrashModule* module = crash.pc ? module_at(crash, *crash.pc) : nullptr;
    return module == nullptr ? std::string() : library_name(*module);
}

std::vector<SharedLibrary> libraries_with_several_threads(const CrashRecord& crash) {
    std::vector<SharedLibrary> found;
    const auto add = [&](int tid, std::uint64_t pc) {
        const CrashModule* module = module_at(crash, pc);
        if (module == nullptr) return;
        const std::string name = library_name(*module);
        if (is_everyones_library(name)) return;
        auto at = std::find_if(found.begin(), found.end(), [&](const SharedLibrary& library) {
            return library.library == name;
        });
        if (at == found.end()) at = found.insert(found.end(), SharedLibrary{name, {}});
        if (std::find(at->tids.begin(), at->tids.end(), tid) == at->tids.end())
            at->tids.push_back(tid);
    };
    // For the faulting thread the list has the handler's place; the registers have the true one.
    if (crash.pc) add(crash.tid, *crash.pc);
    for (const CrashThread& thread : crash.threads)
        if (thread.pc && thread.tid != crash.tid) add(thread.tid, *thread.pc);
    std::erase_if(found, [](const SharedLibrary& library) { return library.tids.size() < 2; });
    std::stable_sort(found.begin(), found.end(),
                     [](const SharedLibrary& a, const SharedLibrary& b) {
                         return a.tids.size() > b.tids.size();
                     });
    return found;
}

bool is_heap_abort(const CrashRecord& crash, const std::vector<NativeFrame>& frames) {
    if (crash.signal != SIGABRT) return false;
    return any_function(frames, 12,
                        {"malloc_printerr", "malloc", "free", "_int_free", "_int_malloc", "realloc",
                         "calloc", "__libc_free", "__libc_malloc", "__libc_realloc", "_int_realloc",
                         "unlink_chunk", "malloc_consolidate"});
}

bool is_fault_in_allocator(const CrashRecord& crash, const std::vector<NativeFrame>& frames) {
    if (crash.signal != SIGSEGV || frames.empty() || !is_everyones_library(frames[0].library))
        return false;
    return any_function(frames, 3,
                        {"malloc", "free", "_int_free", "_int_malloc", "realloc", "calloc", "cfree",
                         "__libc_free", "__libc_malloc", "__libc_realloc", "_int_realloc",
                         "unlink_chunk", "malloc_consolidate", "tcache_get", "tcache_put"});
}

std::vector<std::string> loaded_runtimes(const CrashRecord& crash) {
    constexpr std::array<std::string_view, 10> heads{
        "libgomp",     "libiomp5",    "libomp",      "libtbb.so", "libtcmalloc",
        "libjemalloc", "libmimalloc", "libprotobuf", "libmkl_rt", "libopenblas"};
    std::vector<std::string> found;
    for (const CrashModule& module : crash.modules) {
        const std::string name = library_name(module);
        const bool known = std::any_of(heads.begin(), heads.end(), [&](std::string_view head) {
            return name.starts_with(head);
        });
        if (known && std::find(found.begin(), found.end(), name) == found.end())
            found.push_back(name);
    }
    return found;
}

bool is_exception_abort(const CrashRecord& crash, const std::vector<NativeFrame>& frames) {
    if (crash.signal != SIGABRT) return false;
    return !crash.exception_type.empty() ||
           any_function(frames, 16,
                        {"std::terminate", "__cxxabiv1::__terminate", "__cxa_throw",
                         "__gnu_cxx::__verbose_terminate_handler"});
}

const NativeFrame* blamed_frame(const std::vector<NativeFrame>& frames) {
    const auto found = std::find_if(frames.begin(), frames.end(), [](const NativeFrame& frame) {
        return !is_everyones_library(frame.library);
    });
    return found == frames.end() ? nullptr : &*found;
}

}  // namespace holdfast
