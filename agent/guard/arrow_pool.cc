#include "agent/guard/arrow_pool.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <initializer_list>

#include "agent/base/self_memory.h"
#include "agent/base/text.h"
#include "agent/crash/maps.h"
#include "agent/guard/gate.h"
#include "agent/guard/page.h"
#include "agent/signals/thread_stack.h"

namespace holdfast::agent {
namespace {

// arrow::Status: null is good. Not trivial, so that it is returned as C++ returns it.
class Status {
public:
    explicit Status(void* state) : state_(state) {}
    Status(Status&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
    Status& operator=(Status&&) = delete;
    ~Status();  // never of one that holds anything
    bool good() const { return state_ == nullptr; }
    void* state() const { return state_; }

private:
    void* state_;
};
__attribute__((noinline)) Status::~Status() = default;

using Allocate = Status (*)(void* pool, std::int64_t size, std::int64_t alignment,
                            std::uint8_t** out);
using Reallocate = Status (*)(void* pool, std::int64_t had, std::int64_t size,
                              std::int64_t alignment, std::uint8_t** block);
using Free = void (*)(void* pool, std::uint8_t* block, std::int64_t size, std::int64_t alignment);

constexpr std::size_t most_functions = 32;
// Which function of a pool's table is which, read off one whose names are exported.
struct Order {
    std::size_t allocate = 0, reallocate = 0, free = 0;
};
constinit Order order;

// A pool's own table of functions, copied, with ours in it.
struct Table {
    std::uintptr_t before[2];  // where the object begins, its type
    std::uintptr_t functions[most_functions];
    std::uintptr_t real[most_functions];
};
constexpr std::size_t most_pools = 4;
constinit Table tables[most_pools];
constinit std::size_t table_count = 0;

template <class Function>
Function real_of(void* pool, std::size_t number) {
    const char* functions = *static_cast<const char* const*>(pool);
    const auto* table = reinterpret_cast<const Table*>(functions - offsetof(Table, functions));
    return reinterpret_cast<Function>(table->real[number]);
}

constexpr std::int64_t worth_asking = 64 << 10;
// No pool has so much; what Arrow makes of it is the error that we need.
constexpr std::int64_t too_much = std::int64_t{1} << 62U;

// "malloc of size 4611686018427387904 failed": says how much was really asked for.
void say_size(void* state, std::int64_t size) {
    constexpr char digits_of_too_much[] = "4611686018427387904";
    constexpr std::size_t words = 8;
    std::uintptr_t word[words];
    SelfMemory memory;
    if (!memory.read(reinterpret_cast<std::uintptr_t>(state), word, sizeof word)) return;
    char digits[24];
    std::size_t count = 0;
    for (auto rest = static_cast<std::uint64_t>(size); rest != 0 || count == 0; rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    for (std::size_t i = 0; i + 1 < words; ++i) {  // a std::string: where it is, how long it is
        char text[96];
        const std::size_t length = word[i + 1];
        if (length < sizeof digits_of_too_much || length >= sizeof text ||
            !memory.read(word[i], text, length))
            continue;
        const void* found =
            ::memmem(text, length, digits_of_too_much, sizeof digits_of_too_much - 1);
        if (found == nullptr) continue;
        auto* at = reinterpret_cast<char*>(word[i]) + (static_cast<const char*>(found) - text);
        const char* rest = at + sizeof digits_of_too_much - 1;
        const char* end = reinterpret_cast<char*>(word[i]) + length;
        while (count > 0) *at++ = digits[--count];
        std::memmove(at, rest, static_cast<std::size_t>(end - rest) + 1);
        static_cast<std::uintptr_t*>(state)[i + 1] -= static_cast<std::size_t>(rest - at);
        return;
    }
}

Status said_so(Status&& answer, std::int64_t size) {
    if (!answer.good()) say_size(answer.state(), size);
    return static_cast<Status&&>(answer);
}

Ask ask_for(std::int64_t size, const void* caller) {
    Ask ask{static_cast<std::size_t>(size), Want::used, caller};
    ask.pool = true;
    return ask;
}

Status allocate(void* pool, std::int64_t size, std::int64_t alignment, std::uint8_t** out) {
    const auto real = real_of<Allocate>(pool, order.allocate);
    if (size < worth_asking || has_small_stack()) return real(pool, size, alignment, out);
    const Ask ask = ask_for(size, __builtin_return_address(0));
    const Gate gate = gate_before(ask, 0);
    if (gate == Gate::shut) return said_so(real(pool, too_much, alignment, out), size);
    Status answer = real(pool, size, alignment, out);
    if (gate == Gate::look && answer.good() && gate_after(ask, *out)) {
        real_of<Free>(pool, order.free)(pool, *out, size, alignment);
        return said_so(real(pool, too_much, alignment, out), size);
    }
    handed_out(ask, nullptr);
    return answer;
}

// A block that grows is copied. Whether the copy would fit is tried with one that nobody touches.
bool growth_crosses(void* pool, const Ask& ask, std::int64_t size, std::int64_t alignment) {
    std::uint8_t* block = nullptr;
    if (!real_of<Allocate>(pool, order.allocate)(pool, size, alignment, &block).good())
        return false;  // the real one will fail, too
    const bool crosses = gate_after(ask, block);
    real_of<Free>(pool, order.free)(pool, block, size, alignment);
    return crosses;
}

Status reallocate(void* pool, std::int64_t had, std::int64_t size, std::int64_t alignment,
                  std::uint8_t** block) {
    const auto real = real_of<Reallocate>(pool, order.reallocate);
    if (size - had < worth_asking || has_small_stack())
        return real(pool, had, size, alignment, block);
    // Old and new are there together, but the new one then only as far as it is a copy.
    Ask ask = ask_for(had > size - had ? had : size - had, __builtin_return_address(0));
    ask.whole = static_cast<std::size_t>(size);
    const Gate gate = gate_before(ask, 0);
    if (gate == Gate::shut || (gate == Gate::look && growth_crosses(pool, ask, size, alignment)))
        return said_so(real(pool, had, too_much, alignment, block), size);
    handed_out(ask, nullptr);
    return real(pool, had, size, alignment, block);
}

bool find_order(void* library) {
    const auto* table =
        static_cast<const std::uintptr_t*>(::dlsym(library, "_ZTVN5arrow15ProxyMemoryPoolE"));
    if (table == nullptr) return false;
    std::uintptr_t functions[most_functions];
    if (!SelfMemory().read(reinterpret_cast<std::uintptr_t>(table + 2), functions,
                           sizeof functions))
        return false;
    const auto number_of = [&](const char* name) {
        const auto wanted = reinterpret_cast<std::uintptr_t>(::dlsym(library, name));
        for (std::size_t i = 0; wanted != 0 && i < most_functions; ++i)
            if (functions[i] == wanted) return i;
        return std::size_t{0};  // a destructor comes first
    };
    order = {number_of("_ZN5arrow15ProxyMemoryPool8AllocateEllPPh"),
             number_of("_ZN5arrow15ProxyMemoryPool10ReallocateElllPPh"),
             number_of("_ZN5arrow15ProxyMemoryPool4FreeEPhll")};
    return order.allocate != 0 && order.reallocate != 0 && order.free != 0;
}

void stand_before(void* pool) {
    if (pool == nullptr || table_count == most_pools) return;
    for (std::size_t i = 0; i < table_count; ++i)
        if (*static_cast<const std::uintptr_t*>(pool) ==
            reinterpret_cast<std::uintptr_t>(tables[i].functions))
            return;
    Table& table = tables[table_count];
    const auto functions = *static_cast<const std::uintptr_t*>(pool);
    if (!SelfMemory().read(functions - sizeof table.before, table.before,
                           sizeof table.before + sizeof table.functions))
        return;
    std::memcpy(table.real, table.functions, sizeof table.real);
    table.functions[order.allocate] = reinterpret_cast<std::uintptr_t>(&allocate);
    table.functions[order.reallocate] = reinterpret_cast<std::uintptr_t>(&reallocate);
    ++table_count;
    std::atomic_ref(*static_cast<std::uintptr_t*>(pool))
        .store(reinterpret_cast<std::uintptr_t>(table.functions), std::memory_order_release);
}

// Arrow as it has been loaded; null: it has not, or without a name.
void* loaded_arrow() {
    char path[1024];
    path[0] = 0;
    each_mapping([&](const Mapping& mapping) {
        const auto* slash =
            static_cast<const char*>(::memrchr(mapping.path.data, '/', mapping.path.size));
        if (slash == nullptr || mapping.path.size >= sizeof path) return true;
        const auto size = static_cast<std::size_t>(mapping.path.data + mapping.path.size - slash);
        if (!Text(slash, size).starts_with("/libarrow.so")) return true;
        std::memcpy(path, mapping.path.data, mapping.path.size);
        path[mapping.path.size] = 0;
        return false;
    });
    return path[0] == 0 ? nullptr : ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace

void stand_before_arrow() {
    if (guard_state() == nullptr || guard_page()->settings.mode != format::GuardMode::on ||
        table_count != 0)
        return;
    void* library = loaded_arrow();
    if (library == nullptr || !find_order(library)) return;
    for (const char* name : {"_ZN5arrow20mimalloc_memory_poolEPPNS_10MemoryPoolE",
                             "_ZN5arrow20jemalloc_memory_poolEPPNS_10MemoryPoolE"}) {
        // Not the default one, which is chosen when it is first asked for.
        const auto get = reinterpret_cast<Status (*)(void**)>(::dlsym(library, name));
        void* pool = nullptr;
        if (get == nullptr) continue;
        const Status found = get(&pool);
        if (found.good()) stand_before(pool);
    }
}

}  // namespace holdfast::agent
