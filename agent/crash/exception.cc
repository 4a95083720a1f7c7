// Reads libstdc++'s records of the exception being handled. Layouts: the Itanium C++ ABI, and
// libstdc++'s unwind-cxx.h.
#include "agent/crash/exception.h"

#include <cstddef>

#include "agent/crash/maps.h"
#include "agent/crash/memory.h"
#include "agent/crash/symbol.h"

namespace holdfast::agent {
namespace {

struct Globals {
    std::uintptr_t caught;
    unsigned uncaught;
};

// __cxa_exception; the thrown object follows it.
struct ExceptionHeader {
    std::uintptr_t type;  // in a dependent exception: the primary one's object
    std::uintptr_t destructor, unexpected, terminate, next;
    int handler_count, handler_switch;
    std::uintptr_t action, language_data, catch_temporary, adjusted;
    alignas(16) std::uint64_t exception_class;
    std::uintptr_t cleanup, private_1, private_2;
};
static_assert(sizeof(ExceptionHeader) == 112 && offsetof(ExceptionHeader, exception_class) == 80);

constexpr std::uint64_t primary = 0x474E5543432B2B00;  // "GNUCC++", then 0
constexpr std::uint64_t dependent = primary + 1;

bool stack_holds(const format::Crash& crash, const Symbol& function) {
    if (function.address == 0) return false;
    const std::uint32_t size = copied_stack(crash);
    for (std::uint32_t at = 0; at + 8 <= size; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, crash.stack + at, sizeof word);
        if (function.returns_to(word)) return true;
    }
    return false;
}

// In a thread that never threw, asking for the globals would allocate them, with a heap that may be
// broken or locked. A throw on the stack shows that they exist.
bool terminated_by_throw(const format::Crash& crash, const LoadedLibrary& library) {
    const auto any_of = [&](auto... names) {
        return (stack_holds(crash, library.find(names)) || ...);
    };
    // The last two: an exception reached a function that is declared not to throw.
    return any_of(Text("_ZSt9terminatev"), Text("__cxa_call_terminate"),
                  Text("__gxx_personality_v0")) &&
           any_of(Text("__cxa_throw"), Text("__cxa_rethrow"),
                  Text("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE"));
}

bool type_name(std::uintptr_t type, char* out, std::size_t room) {
    std::uintptr_t name = 0;
    char first = 0;
    if (!read_value(type + 8, name) || !read_value(name, first)) return false;
    if (first == '*') ++name;  // a type that has no linkage
    return read_string(name, out, room) > 0;
}

// What kind of type_info this is: the name of its own type, found through its virtual table.
bool kind_of(std::uintptr_t type, char* out, std::size_t room) {
    std::uintptr_t table = 0;
    std::uintptr_t kind = 0;
    return read_value(type, table) && read_value(table - 8, kind) && type_name(kind, out, room);
}

// The std::exception among the bases of `object`, or 0.
std::uintptr_t find_base(std::uintptr_t type, std::uintptr_t object, int depth) {
    char name[64];
    if (depth > 16 || !type_name(type, name, sizeof name)) return 0;
    if (Text::of(name) == "St9exception") return object;
    if (!kind_of(type, name, sizeof name)) return 0;
    const Text kind = Text::of(name);
    if (kind == "N10__cxxabiv120__si_class_type_infoE") {
        std::uintptr_t base = 0;
        return read_value(type + 16, base) ? find_base(base, object, depth + 1) : 0;
    }
    std::uint32_t count = 0;
    if (!(kind == "N10__cxxabiv121__vmi_class_type_infoE") || !read_value(type + 20, count))
        return 0;
    for (std::uint32_t i = 0; i < count && i < 16; ++i) {
        std::uintptr_t base = 0;
        std::int64_t place = 0;  // offset << 8 | public 2 | virtual 1
        if (!read_value(type + 24 + i * 16, base) || !read_value(type + 32 + i * 16, place))
            return 0;
        std::int64_t offset = place >> 8;
        std::uintptr_t table = 0;
        if ((place & 1) != 0 && (!read_value(object, table) ||
                                 !read_value(table + static_cast<std::uintptr_t>(offset), offset)))
            continue;
        if ((place & 2) == 0) continue;
        if (const auto found =
                find_base(base, object + static_cast<std::uintptr_t>(offset), depth + 1))
            return found;
    }
    return 0;
}

ThrownException read_exception(std::uintptr_t caught, format::Crash& crash) {
    ExceptionHeader header{};
    if (!read_value(caught, header)) return {};
    std::uintptr_t object = caught + sizeof header;
    if (header.exception_class == dependent) {
        object = header.type;
        if (!read_value(object - sizeof header, header)) return {};
    }
    if (header.exception_class != primary) return {};
    char* type = crash.exception_type;
    if (!type_name(header.type, type, sizeof crash.exception_type)) return {};
    const Text name = Text::of(type);
    std::uintptr_t text = 0;
    // throw "text" and throw std::string can be read without calling the program's code.
    if (name == "PKc" || name == "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE") {
        if (read_value(object, text))
            read_string(text, crash.exception_what, sizeof crash.exception_what);
        return {object, 0};
    }
    return {object, find_base(header.type, object, 0)};
}

}  // namespace

ThrownException find_exception(format::Crash& crash) {
    ThrownException thrown{};
    // More than one copy may be loaded (a conda environment's and the system's).
    each_mapping([&](const Mapping& mapping) {
        if (mapping.offset != 0 || !mapping.path.contains("libstdc++.so")) return true;
        const LoadedLibrary library(mapping.start);
        if (!terminated_by_throw(crash, library)) return true;
        const Symbol globals = library.find("__cxa_get_globals_fast");
        if (globals.address == 0) return true;
        const auto* own = reinterpret_cast<Globals* (*)()>(globals.address)();
        Globals copy{};
        if (read_value(reinterpret_cast<std::uintptr_t>(own), copy) && copy.caught != 0)
            thrown = read_exception(copy.caught, crash);
        return thrown.object == 0;
    });
    return thrown;
}

}  // namespace holdfast::agent
