#include "agent/heap/pymem_hooks.h"

#include <dlfcn.h>

#include "agent/heap/pymem_samples.h"

namespace holdfast::agent {
namespace {

// PyMemAllocatorEx.
struct Allocator {
    void* context;
    void* (*malloc)(void*, std::size_t);
    void* (*calloc)(void*, std::size_t, std::size_t);
    void* (*realloc)(void*, void*, std::size_t);
    void (*free)(void*, void*);
};
constexpr int domain_mem = 1, domain_obj = 2;

void (*get_allocator)(int, Allocator*) = nullptr;
void (*set_allocator)(int, Allocator*) = nullptr;

// The allocators below ours. Kept as long as ours may be called: another tool may have saved ours.
Allocator below[3];
bool in[3];

// Ours pass the context on without reading it, so a subinterpreter with its own GIL that sees a
// mixture of old and new members still calls a valid allocator.
template <int Domain>
void* our_malloc(void* context, std::size_t size) {
    void* object = below[Domain].malloc(context, size);
    object_made(object, size);
    return object;
}
template <int Domain>
void* our_calloc(void* context, std::size_t count, std::size_t size) {
    void* object = below[Domain].calloc(context, count, size);
    object_made(object, count * size);
    return object;
}
template <int Domain>
void* our_realloc(void* context, void* object, std::size_t size) {
    SampledObject was;
    const bool sampled = object != nullptr && object_gone(object, &was);
    void* moved = below[Domain].realloc(context, object, size);
    if (sampled) {
        if (moved == nullptr)
            object_back(object, was);
        else if (size <= small_object)
            object_back(moved, was);
    } else if (object == nullptr) {
        object_made(moved, size);
    }
    return moved;
}
template <int Domain>
void our_free(void* context, void* object) {
    object_gone(object, nullptr);
    below[Domain].free(context, object);
    count_free();
}

template <int Domain>
void set_hooks(PyMemHooks wanted) {
    Allocator now{};
    get_allocator(Domain, &now);
    const bool ours_on_top = now.free == &our_free<Domain>;
    if (in[Domain] && !ours_on_top) return;  // another tool's allocator lies above ours
    if (!in[Domain]) {
        if (wanted == PyMemHooks::out) return;
        below[Domain] = now;
    }
    Allocator fresh = below[Domain];
    if (wanted != PyMemHooks::out) {
        fresh.realloc = &our_realloc<Domain>;
        fresh.free = &our_free<Domain>;
    }
    if (wanted == PyMemHooks::sampling) {
        fresh.malloc = &our_malloc<Domain>;
        fresh.calloc = &our_calloc<Domain>;
    }
    in[Domain] = wanted != PyMemHooks::out;
    set_allocator(Domain, &fresh);
}

}  // namespace

bool find_pymem() {
    if (set_allocator != nullptr) return true;
    get_allocator =
        reinterpret_cast<void (*)(int, Allocator*)>(::dlsym(RTLD_DEFAULT, "PyMem_GetAllocator"));
    if (get_allocator == nullptr) return false;
    set_allocator =
        reinterpret_cast<void (*)(int, Allocator*)>(::dlsym(RTLD_DEFAULT, "PyMem_SetAllocator"));
    return set_allocator != nullptr;
}

void set_pymem_hooks(PyMemHooks wanted) {
    set_hooks<domain_mem>(wanted);
    set_hooks<domain_obj>(wanted);
}

bool pymem_hooks_in() { return in[domain_mem] || in[domain_obj]; }

}  // namespace holdfast::agent
