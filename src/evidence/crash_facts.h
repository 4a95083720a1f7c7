// Facts that the rules need from a crash record: pure functions of the record and its stack.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.h"
#include "record/crash_box.h"

namespace holdfast {

// The fault lies where the faulting thread's stack had run out: in the guard below it, or just
// below a stack that could not grow. False where the stack's bounds are not known.
bool is_stack_overflow(const CrashRecord& crash);
// The fault address is that of a member or element of an object at null.
bool is_null_access(const CrashRecord& crash);
// The processor went to fetch an instruction there: a call through a bad pointer, or a return
// through a smashed stack.
bool is_bad_call(const CrashRecord& crash);

enum class FaultAccess { read, write, execute };
// Where the processor tells (x86_64).
std::optional<FaultAccess> fault_access(const CrashRecord& crash);

// A mapped file was shorter than its mapping, or its disk failed.
bool is_lost_file_page(const CrashRecord& crash);
// The memory itself is broken: the kernel reported a hardware error.
bool is_memory_error(const CrashRecord& crash);
// An address no processor accepts, which is why the kernel could not tell it: overwritten pointers
// look so.
bool is_wild_address(const CrashRecord& crash);

// The mapping that holds an address, of those that are code; null when none does.
const CrashModule* module_at(const CrashRecord& crash, std::uint64_t address);
// The library of the faulting place; empty when unknown.
std::string faulting_library(const CrashRecord& crash);

struct SharedLibrary {
    std::string library;
    std::vector<int> tids;  // the faulting thread first, if it is one of them
};
// Native libraries in which two or more threads were at that moment, most threads first. Libraries
// that every thread is in are left out.
std::vector<SharedLibrary> libraries_with_several_threads(const CrashRecord& crash);

// An abort that the allocator called for: the heap was found damaged, the crash came later than
// the damage.
bool is_heap_abort(const CrashRecord& crash, const std::vector<NativeFrame>& frames);
// A fault inside the allocator itself: it followed a pointer of its own that somebody overwrote, or
// one it was handed.
bool is_fault_in_allocator(const CrashRecord& crash, const std::vector<NativeFrame>& frames);
// Runtimes of which a process should have one only, as far as they are mapped: OpenMP's, Intel's
// thread pool, allocators, protobuf. By file name, each once.
std::vector<std::string> loaded_runtimes(const CrashRecord& crash);
// An abort from an uncaught C++ exception.
bool is_exception_abort(const CrashRecord& crash, const std::vector<NativeFrame>& frames);
// The first frame that is not everybody's: whose code it was. Null when there is none.
const NativeFrame* blamed_frame(const std::vector<NativeFrame>& frames);

}  // namespace holdfast
