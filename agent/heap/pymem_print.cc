#include "agent/heap/pymem_print.h"

#include <dlfcn.h>

#include "agent/base/self_memory.h"
#include "agent/python/stack.h"

namespace holdfast::agent {
namespace {

// Within a block: a plain object begins at once, a collected one behind two words of the collector.
constexpr std::size_t collector_head = 16, type_at = 8, value_at = 16;

std::uintptr_t tuple_type = 0;
std::uintptr_t float_type = 0;
std::uintptr_t int_type = 0;
std::size_t first_item_at = 24;

std::uint16_t folded(std::uint64_t value) {
    const auto print = static_cast<std::uint16_t>((value * 0x9E3779B97F4A7C15ULL) >> 48U);
    return print != 0 ? print : 1;
}

template <class Read>
std::uint16_t print_of(std::uint64_t object, Read read) {
    std::uint64_t type = 0;
    std::uint64_t value = 0;
    if (!read(object + type_at, type)) return 0;
    if (type == float_type) return read(object + value_at, value) ? folded(value) : 0;
    if (type == int_type) {
        std::uint64_t digits = 0;
        if (!read(object + value_at, value) || !read(object + value_at + 8, digits)) return 0;
        return folded(value ^ (digits & 0xFFFFFFFFU) << 32U);
    }
    if (!read(object + collector_head + type_at, type) || type != tuple_type) return 0;
    if (!read(object + collector_head + first_item_at, value) || value == 0) return 0;
    return folded(value);
}

}  // namespace

void find_printed_types() {
    if (tuple_type != 0) return;
    const RunningPython python = python_version();
    if (python.minor >= 14) first_item_at = 32;  // behind the cached hash
    float_type = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "PyFloat_Type"));
    int_type = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "PyLong_Type"));
    tuple_type = reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, "PyTuple_Type"));
}

std::uint16_t object_print(std::uint64_t object, std::size_t size) {
    const std::uint64_t end = object + ((size + 15) & ~std::size_t{15});
    return print_of(object, [end](std::uint64_t at, std::uint64_t& out) {
        if (at + sizeof out > end) return false;
        __builtin_memcpy(&out, reinterpret_cast<const void*>(at), sizeof out);
        return true;
    });
}

bool print_differs(std::uint64_t object, std::uint16_t print) {
    if (print == 0) return false;
    const KeepErrno keep;
    SelfMemory memory;
    return print_of(object, [&memory](std::uint64_t at, std::uint64_t& out) {
               return memory.read(at, &out, sizeof out);
           }) != print;
}

}  // namespace holdfast::agent
