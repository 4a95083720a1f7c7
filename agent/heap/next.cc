// Finds the allocator below with dlsym, which may itself allocate; such calls get memory from a
// small arena.
#include "agent/heap/next.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <cerrno>

#include <atomic>
#include <cstring>

#include "agent/heap/blocks.h"

namespace holdfast::agent {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t arena_size = 128U << 10U;
alignas(page) char arena[arena_size];
std::atomic<std::size_t> arena_used{0};
constinit thread_local bool looking = false;

void* arena_take(std::size_t size) {
    // A block of size 0 has an address, too, and free() must find its page marked.
    const std::size_t room = size == 0 ? page : (size + page - 1) & ~(page - 1);
    if (size > arena_size || room > arena_size) {
        errno = ENOMEM;
        return nullptr;
    }
    const std::size_t at = arena_used.fetch_add(room);
    if (at + room > arena_size) {
        arena_used.fetch_sub(room);
        errno = ENOMEM;
        return nullptr;
    }
    char* block = arena + at;
    for (std::size_t i = 0; i < room; i += page) mark_page_for_good(block + i);
    return block;
}

bool ready();

void* first_malloc(std::size_t size) { return ready() ? next.malloc(size) : arena_take(size); }
void first_free(void* block) {
    if (ready()) next.free(block);
}
void* first_calloc(std::size_t count, std::size_t size) {
    std::size_t all = 0;
    if (ready()) return next.calloc(count, size);
    return __builtin_mul_overflow(count, size, &all) ? nullptr : arena_take(all);
}
void* first_realloc(void* block, std::size_t size) {
    if (ready()) return next.realloc(block, size);
    void* fresh = arena_take(size);
    if (fresh != nullptr && from_bootstrap(block)) {
        const std::size_t room = bootstrap_room(block);
        std::memmove(fresh, block, size < room ? size : room);
    }
    return fresh;
}
void* first_memalign(std::size_t alignment, std::size_t size) {
    if (ready()) return next.memalign(alignment, size);
    return alignment <= page ? arena_take(size) : nullptr;
}
int first_posix_memalign(void** out, std::size_t alignment, std::size_t size) {
    if (ready()) return next.posix_memalign(out, alignment, size);
    *out = alignment <= page ? arena_take(size) : nullptr;
    return *out != nullptr ? 0 : ENOMEM;
}
void* first_aligned_alloc(std::size_t alignment, std::size_t size) {
    if (ready()) return next.aligned_alloc(alignment, size);
    return alignment <= page ? arena_take(size) : nullptr;
}

// False while this thread is looking for the allocator, or if there is none.
bool ready() {
    if (looking) return false;
    find_next_allocator();
    return next.malloc != &first_malloc;
}

#if defined(__x86_64__)
constexpr const char* first_version = "GLIBC_2.2.5";
constexpr const char* version_of_aligned_alloc = "GLIBC_2.16";
#else
constexpr const char* first_version = "GLIBC_2.17";
constexpr const char* version_of_aligned_alloc = "GLIBC_2.17";
#endif

bool is_libcs(const void* function) {
    Dl_info one{};
    Dl_info libc{};
    return ::dladdr(function, &one) != 0 &&
           ::dladdr(reinterpret_cast<const void*>(&::gnu_get_libc_version), &libc) != 0 &&
           one.dli_fbase == libc.dli_fbase;
}

// Where libc's would be next, by version, too, as the program's own call is bound: libc's library
// for debugging memory has functions that are found in no other way.
template <class Function>
void look(Function& into, const char* name, const char* version = first_version) {
    void* found = ::dlsym(RTLD_NEXT, name);
    if (found != nullptr && is_libcs(found))
        if (void* bound = ::dlvsym(RTLD_NEXT, name, version)) found = bound;
    if (found != nullptr) into = reinterpret_cast<Function>(found);
}

struct Around {
    std::uintptr_t address, begin, end;
};

int look_around(dl_phdr_info* object, std::size_t /*size*/, void* data) {
    auto& around = *static_cast<Around*>(data);
    std::uintptr_t begin = UINTPTR_MAX;
    std::uintptr_t end = 0;
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& part = object->dlpi_phdr[i];
        if (part.p_type != PT_LOAD) continue;
        const std::uintptr_t from = object->dlpi_addr + part.p_vaddr;
        if (from < begin) begin = from;
        if (from + part.p_memsz > end) end = from + part.p_memsz;
    }
    if (around.address < begin || around.address >= end) return 0;
    around.begin = begin;
    around.end = end;
    return 1;
}

}  // namespace

constinit NextAllocator next = {&first_malloc,
                                &first_free,
                                &first_calloc,
                                &first_realloc,
                                &first_memalign,
                                &first_posix_memalign,
                                &first_aligned_alloc,
                                0,
                                0};

void find_next_allocator() {
    if (next.malloc != &first_malloc || looking) return;
    looking = true;
    NextAllocator found = next;
    look(found.malloc, "malloc");
    look(found.free, "free");
    look(found.calloc, "calloc");
    look(found.realloc, "realloc");
    look(found.memalign, "memalign");
    look(found.posix_memalign, "posix_memalign");
    look(found.aligned_alloc, "aligned_alloc", version_of_aligned_alloc);
    void* glibc_malloc = ::dlsym(RTLD_NEXT, "__libc_malloc");
    if (glibc_malloc == nullptr || glibc_malloc != reinterpret_cast<void*>(found.malloc))
        object_around(reinterpret_cast<void*>(found.malloc), found.code_begin, found.code_end);
    next = found;
    looking = false;
}

bool from_bootstrap(const void* block) {
    return block >= static_cast<const void*>(arena) &&
           block < static_cast<const void*>(arena + arena_size);
}

std::size_t bootstrap_room(const void* block) {
    return static_cast<std::size_t>(arena + arena_size - static_cast<const char*>(block));
}

bool object_around(const void* address, std::uintptr_t& begin, std::uintptr_t& end) {
    Around around{reinterpret_cast<std::uintptr_t>(address), 0, 0};
    if (::dl_iterate_phdr(&look_around, &around) == 0) return false;
    begin = around.begin;
    end = around.end;
    return true;
}

}  // namespace holdfast::agent
