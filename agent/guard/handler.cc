#include "agent/guard/handler.h"

#include <dlfcn.h>
#include <unwind.h>

#include <cstring>

#include "agent/base/text.h"

namespace holdfast::agent {
namespace {

constexpr unsigned char omitted = 0xFF;

// How a number is written in these tables: the low half its form, the high half what it is
// relative to.
constexpr unsigned char form_of(unsigned char encoding) { return encoding & 0x0FU; }
constexpr unsigned char whole_address = 0x00, any_length = 0x01, four_bytes = 0x03,
                        four_signed = 0x0B;
constexpr unsigned char relative_to_here = 0x10, through_a_pointer = 0x80;

std::uint64_t read_any_length(const unsigned char*& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const unsigned char byte = *at++;
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) break;
    }
    return value;
}

std::int64_t read_signed(const unsigned char*& at) {
    std::uint64_t value = 0;
    unsigned shift = 0;
    unsigned char byte = 0x80;
    while ((byte & 0x80U) != 0 && shift < 64) {
        byte = *at++;
        value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
        shift += 7;
    }
    if (shift < 64 && (byte & 0x40U) != 0) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
}

// False: in a form that compilers do not use here.
bool read_number(const unsigned char*& at, unsigned char encoding, std::uint64_t& value) {
    if (encoding == any_length) {
        value = read_any_length(at);
        return true;
    }
    if (encoding == four_bytes) {
        std::uint32_t four = 0;
        std::memcpy(&four, at, sizeof four);
        at += sizeof four;
        value = four;
        return true;
    }
    return false;
}

// The type that a handler is for. False: it cannot be told; null: for all.
bool read_type(const unsigned char* at, unsigned char encoding, const void*& type) {
    std::uint64_t value = 0;
    if (form_of(encoding) == whole_address) {
        std::memcpy(&value, at, sizeof value);
    } else if (form_of(encoding) == four_signed) {
        std::int32_t four = 0;
        std::memcpy(&four, at, sizeof four);
        value = static_cast<std::uint64_t>(static_cast<std::int64_t>(four));
    } else {
        return false;
    }
    if (value != 0) {
        if ((encoding & 0x70U) == relative_to_here)
            value += reinterpret_cast<std::uintptr_t>(at);
        else if ((encoding & 0x70U) != 0)
            return false;
        if ((encoding & through_a_pointer) != 0)
            std::memcpy(&value, reinterpret_cast<const void*>(value), sizeof value);
    }
    type = reinterpret_cast<const void*>(value);
    return true;
}

// A std::type_info: its table of functions, then its name.
bool takes_bad_alloc(const void* type) {
    if (type == nullptr) return true;
    const auto* name = static_cast<const char* const*>(type)[1];
    const Text text = Text::of(name[0] == '*' ? name + 1 : name);
    return text == Text("St9bad_alloc") || text == Text("St9exception");
}

struct Search {
    std::uint64_t thrower, loop_begin, loop_end;
    std::uintptr_t (*address)(_Unwind_Context*, int*);
    void* (*table)(_Unwind_Context*);
    std::uintptr_t (*begin)(_Unwind_Context*);
    bool thrown = false;  // past the code that throws
    bool caught = false, arrived = false, ended = false;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* given) {
    auto& search = *static_cast<Search*>(given);
    int exact = 0;
    const std::uintptr_t address = search.address(context, &exact);
    if (address == 0) return _URC_END_OF_STACK;
    if (address >= search.loop_begin && address < search.loop_end) {
        search.arrived = true;
        return _URC_END_OF_STACK;
    }
    if (!search.thrown) {  // our own frames, and the thrower's, whose call of malloc throws nothing
        search.thrown = address == search.thrower;
        return _URC_NO_REASON;
    }
    const auto* table = static_cast<const unsigned char*>(search.table(context));
    if (table == nullptr) return _URC_NO_REASON;
    const OnThrow does = on_throw(table, search.begin(context), exact != 0 ? address : address - 1);
    if (does == OnThrow::ends) {
        search.ended = true;
        return _URC_END_OF_STACK;
    }
    search.caught = search.caught || does == OnThrow::catches;
    return _URC_NO_REASON;
}

using Look = _Unwind_Reason_Code (*)(_Unwind_Context*, void*);
using Walk = _Unwind_Reason_Code (*)(Look, void*);

struct Calls {
    std::uint64_t* out;
    std::size_t most, count;
    std::uint64_t loop_begin, loop_end;
    std::uintptr_t (*address)(_Unwind_Context*, int*);
    bool arrived;
};

_Unwind_Reason_Code note_call(_Unwind_Context* context, void* given) {
    auto& calls = *static_cast<Calls*>(given);
    int exact = 0;
    const std::uintptr_t address = calls.address(context, &exact);
    if (address == 0 || calls.count == calls.most) return _URC_END_OF_STACK;
    calls.out[calls.count++] = address;
    calls.arrived = address >= calls.loop_begin && address < calls.loop_end;
    return calls.arrived ? _URC_END_OF_STACK : _URC_NO_REASON;
}

template <class Function>
bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name));
    if (function == nullptr) {  // Python opens libraries for itself alone
        static void* library = ::dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (library != nullptr) function = reinterpret_cast<Function>(::dlsym(library, name));
    }
    return function != nullptr;
}

}  // namespace

OnThrow on_throw(const unsigned char* table, std::uint64_t begin, std::uint64_t at) {
    const unsigned char* here = table;
    if (*here++ != omitted) return OnThrow::ends;  // landing pads elsewhere: nobody does that
    const unsigned char type_encoding = *here++;
    const unsigned char* types = nullptr;
    if (type_encoding != omitted) {
        const std::uint64_t offset = read_any_length(here);
        types = here + offset;
    }
    const unsigned char encoding = *here++;
    const std::uint64_t length = read_any_length(here);
    const unsigned char* actions = here + length;
    const std::size_t type_size = form_of(type_encoding) == whole_address ? 8 : 4;
    while (here < actions) {
        std::uint64_t start = 0, size = 0, pad = 0;
        if (!read_number(here, encoding, start) || !read_number(here, encoding, size) ||
            !read_number(here, encoding, pad))
            return OnThrow::ends;
        const std::uint64_t action = read_any_length(here);
        if (at < begin + start) break;
        if (at >= begin + start + size) continue;
        if (pad == 0 || action == 0) return OnThrow::passes;
        for (const unsigned char* row = actions + action - 1;;) {
            const std::int64_t filter = read_signed(row);
            if (filter < 0) return OnThrow::ends;  // a list of what it may throw
            if (filter > 0) {
                const void* type = nullptr;
                if (types == nullptr ||
                    !read_type(types - static_cast<std::size_t>(filter) * type_size, type_encoding,
                               type))
                    return OnThrow::ends;
                if (takes_bad_alloc(type)) return OnThrow::catches;
            }
            const unsigned char* from = row;
            const std::int64_t next = read_signed(row);
            if (next == 0) return OnThrow::passes;
            row = from + next;
        }
    }
    return OnThrow::ends;  // not listed: it promised to throw nothing
}

std::size_t calls_below_loop(std::uint64_t* out, std::size_t most, std::uint64_t loop_begin,
                             std::uint64_t loop_end) {
    Walk walk = nullptr;
    Calls calls{out, most, 0, loop_begin, loop_end, nullptr, false};
    // Without it the unwinder takes the loader's lock, which somebody may hold who waits for us.
    static const bool lockless = ::dlsym(RTLD_DEFAULT, "_dl_find_object") != nullptr;
    if (!lockless || !find(walk, "_Unwind_Backtrace") || !find(calls.address, "_Unwind_GetIPInfo"))
        return 0;
    walk(&note_call, &calls);
    return calls.arrived ? calls.count : 0;
}

bool exception_is_caught(std::uint64_t thrower, std::uint64_t loop_begin, std::uint64_t loop_end) {
    Walk walk = nullptr;
    Search search{thrower, loop_begin, loop_end, nullptr, nullptr, nullptr};
    if (!find(walk, "_Unwind_Backtrace") || !find(search.address, "_Unwind_GetIPInfo") ||
        !find(search.table, "_Unwind_GetLanguageSpecificData") ||
        !find(search.begin, "_Unwind_GetRegionStart"))
        return false;
    walk(&look, &search);
    return search.thrown && search.caught && search.arrived && !search.ended;
}

}  // namespace holdfast::agent
