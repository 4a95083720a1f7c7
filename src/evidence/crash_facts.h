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
// The fault address belongs to a member or an element of an object at null.
bool is_null_access(const CrashRecord& crash);
// The processor went to fetch an instruction there: a call through a bad pointer, or a return
// through a smashed stack.
bool is_bad_call(const CrashRecord& crash);

enum class FaultAccess { read, write, execute };
// Only where the processor reports it (x86_64).
std::optional<FaultAccess> fault_access(const CrashRecord& crash);

// A mapped file was shorter than its mapping, or its disk failed.
bool is_lost_file_page(const CrashRecord& crash);
// The memory itself is broken: the kernel reported a hardware error.
bool is_memory_error(const CrashRecord& crash);
// No processor accepts the address, so the kernel could not report it: overwritten pointers look
// like this.
bool is_wild_address(const CrashRecord& crash);

// The mapping of code that holds an address; null if none does.
const CrashModule* module_at(const CrashRecord& crash, std::uint64_t address);
// The library that the pc is in; empty when unknown.
std::string faulting_library(const CrashRecord& crash);

struct SharedLibrary {
    std::string library;
    std::vector<int> tids;  // the faulting thread first, if it is one of them
};
// Native libraries that two or more threads were in when it crashed, most threads first. Leaves out
// libraries that every thread is in.
std::vector<SharedLibrary> libraries_with_several_threads(const CrashRecord& crash);

// The allocator aborted because it found the heap damaged: the damage was done earlier.
bool is_heap_abort(const CrashRecord& crash, const std::vector<NativeFrame>& frames);
// A fault inside the allocator: it followed one of its own pointers that somebody had overwritten,
// or a bad pointer that it was passed.
bool is_fault_in_allocator(const CrashRecord& crash, const std::vector<NativeFrame>& frames);
// The mapped runtimes of which a process should have only one: OpenMP's, Intel's thread pool,
// allocators, protobuf. By file name, each once.
std::vector<std::string> loaded_runtimes(const CrashRecord& crash);
// An abort from an uncaught C++ exception.
bool is_exception_abort(const CrashRecord& crash, const std::vector<NativeFrame>& frames);
// The first frame that can be blamed; null if there is none.
const NativeFrame* blamed_frame(const std::vector<NativeFrame>& frames);

}  // namespace holdfast
