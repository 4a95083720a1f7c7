#include "agent/launch/slots.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <initializer_list>

#include "agent/base/text.h"

namespace holdfast::agent {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t jump_slot = R_X86_64_JUMP_SLOT, data_slot = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr std::uint64_t jump_slot = R_AARCH64_JUMP_SLOT, data_slot = R_AARCH64_GLOB_DAT;
#endif

constexpr std::size_t longest_path = 1024;
constexpr std::size_t most_slots = 64;

Text file_name(const char* path) {
    const char* slash = path == nullptr ? nullptr : ::strrchr(path, '/');
    return Text::of(slash == nullptr ? path : slash + 1);
}

// What the dynamic section of a loaded library says.
struct Dynamic {
    std::uintptr_t base = 0;
    const ElfW(Sym) * symbols = nullptr;
    const char* names = nullptr;
    const ElfW(Rela) * calls = nullptr;
    const ElfW(Rela) * data = nullptr;
    std::size_t calls_size = 0, data_size = 0, relative_count = 0;
    bool with_addends = true;
};

template <class T>
void point(T*& into, std::uintptr_t base, std::uintptr_t value) {
    // glibc has added the base already; other loaders leave that to the reader.
    into = reinterpret_cast<T*>(value < base ? base + value : value);
}

bool read_dynamic(const dl_phdr_info& info, Dynamic& out) {
    out.base = info.dlpi_addr;
    for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
        if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const auto* entry =
            reinterpret_cast<const ElfW(Dyn)*>(out.base + info.dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry) {
            const auto value = static_cast<std::uintptr_t>(entry->d_un.d_ptr);
            switch (entry->d_tag) {
            case DT_SYMTAB: point(out.symbols, out.base, value); break;
            case DT_STRTAB: point(out.names, out.base, value); break;
            case DT_JMPREL: point(out.calls, out.base, value); break;
            case DT_RELA: point(out.data, out.base, value); break;
            case DT_PLTRELSZ: out.calls_size = value / sizeof(ElfW(Rela)); break;
            case DT_RELASZ: out.data_size = value / sizeof(ElfW(Rela)); break;
            case DT_RELACOUNT: out.relative_count = value; break;
            case DT_PLTREL: out.with_addends = value == DT_RELA; break;
            default: break;
            }
        }
    }
    return out.symbols != nullptr && out.names != nullptr && out.with_addends;
}

struct Slot {
    std::uintptr_t* at;
    std::size_t wanted;
    bool read_only;  // since the library was loaded
};

struct Search {
    const char* library;
    const WantedSlot* wanted;
    std::size_t wanted_count;
    char path[longest_path];
    std::uintptr_t begin, end;  // of the library
    Slot slots[most_slots];
    std::size_t count;
};

bool made_read_only(const dl_phdr_info& info, std::uintptr_t at) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    for (std::size_t i = 0; i < info.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info.dlpi_phdr[i];
        if (part.p_type != PT_GNU_RELRO) continue;
        const std::uintptr_t begin = (info.dlpi_addr + part.p_vaddr) & ~(page - 1);
        const std::uintptr_t end = (info.dlpi_addr + part.p_vaddr + part.p_memsz) & ~(page - 1);
        if (at >= begin && at < end) return true;
    }
    return false;
}

void collect(const dl_phdr_info& info, const Dynamic& dynamic, const ElfW(Rela) * table,
             std::size_t from, std::size_t to, std::uint64_t kind, Search& search) {
    for (std::size_t i = from; table != nullptr && i < to; ++i) {
        if (ELF64_R_TYPE(table[i].r_info) != kind) continue;
        const char* name = dynamic.names + dynamic.symbols[ELF64_R_SYM(table[i].r_info)].st_name;
        for (std::size_t w = 0; w < search.wanted_count && search.count < most_slots; ++w) {
            if (::strcmp(name, search.wanted[w].name) != 0) continue;
            auto* at = reinterpret_cast<std::uintptr_t*>(dynamic.base + table[i].r_offset);
            search.slots[search.count++] = {at, w,
                                            made_read_only(info, dynamic.base + table[i].r_offset)};
        }
    }
}

// The loader's lock is held: only memory is read here.
int look_at(dl_phdr_info* info, std::size_t, void* out) {
    auto& search = *static_cast<Search*>(out);
    if (!(file_name(info->dlpi_name) == Text::of(search.library))) return 0;
    const std::size_t size = ::strlen(info->dlpi_name) + 1;
    Dynamic dynamic;
    if (size > longest_path || !read_dynamic(*info, dynamic)) return 1;
    std::memcpy(search.path, info->dlpi_name, size);
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info->dlpi_phdr[i];
        if (part.p_type != PT_LOAD) continue;
        const std::uintptr_t begin = dynamic.base + part.p_vaddr;
        if (search.begin == 0 || begin < search.begin) search.begin = begin;
        if (begin + part.p_memsz > search.end) search.end = begin + part.p_memsz;
    }
    collect(*info, dynamic, dynamic.calls, 0, dynamic.calls_size, jump_slot, search);
    // A large library has a hundred thousand slots of the second kind: look there only if it uses
    // none of the first kind.
    if (search.count == 0)
        collect(*info, dynamic, dynamic.data, dynamic.relative_count, dynamic.data_size, data_slot,
                search);
    return 1;
}

void* find(const char* path, const char* name) {
    // As the library itself would find it: global symbols first, including a preloaded one.
    if (void* found = ::dlsym(RTLD_DEFAULT, name)) return found;
    void* library = ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    void* found = ::dlsym(library, name);
    ::dlclose(library);
    return found;
}

// The function that a slot leads to. Before its first call it leads back into its own library; then
// look the function up.
std::uintptr_t behind(const Search& search, const Slot& slot) {
    const std::uintptr_t there = std::atomic_ref(*slot.at).load(std::memory_order_relaxed);
    if (there >= search.begin && there < search.end)
        return reinterpret_cast<std::uintptr_t>(find(search.path, search.wanted[slot.wanted].name));
    Dl_info info;
    return ::dladdr(reinterpret_cast<void*>(there), &info) != 0 ? there : 0;
}

bool lead_elsewhere(const Slot& slot, std::uintptr_t to) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    void* start = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(slot.at) & ~(page - 1));
    if (slot.read_only && ::mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
    std::atomic_ref(*slot.at).store(to, std::memory_order_release);
    if (slot.read_only) ::mprotect(start, page, PROT_READ);
    return true;
}

// Libraries of CUDA itself and of torch.
bool is_known(Text name) {
    for (const Text head :
         {Text("libtorch_"), Text("libtorch.so"), Text("libc10_"), Text("libcublas"),
          Text("libcudnn"), Text("libcufft"), Text("libcurand"), Text("libcusolver"),
          Text("libcusparse"), Text("libcupti"), Text("libcudart"), Text("libcuda.so"),
          Text("libcufile"), Text("libnccl"), Text("libnvJitLink"), Text("libnvshmem"),
          Text("libnvidia-")})
        if (name.starts_with(head)) return true;
    return false;
}

int look_for_others(dl_phdr_info* info, std::size_t, void*) {
    const Text name = file_name(info->dlpi_name);
    // These find the driver's functions by themselves.
    for (const Text part : {Text("/cupy"), Text("/jaxlib/")})
        if (Text::of(info->dlpi_name).contains(part)) return 1;
    Dynamic dynamic;
    if (name.empty() || is_known(name) || !read_dynamic(*info, dynamic)) return 0;
    for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const auto* entry =
            reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; entry->d_tag != DT_NULL; ++entry)
            if (entry->d_tag == DT_NEEDED &&
                (Text::of(dynamic.names + entry->d_un.d_val).starts_with("libcudart") ||
                 Text::of(dynamic.names + entry->d_un.d_val).starts_with("libcuda.so")))
                return 1;
    }
    return 0;
}

}  // namespace

std::size_t redirect(const char* library, const WantedSlot* wanted, std::size_t count) {
    Search search{};
    search.library = library;
    search.wanted = wanted;
    search.wanted_count = count;
    ::dl_iterate_phdr(look_at, &search);
    std::size_t done = 0;
    for (std::size_t i = 0; i < search.count; ++i) {
        const Slot& slot = search.slots[i];
        const WantedSlot& want = wanted[slot.wanted];
        const auto ours = reinterpret_cast<std::uintptr_t>(want.ours);
        if (std::atomic_ref(*slot.at).load(std::memory_order_relaxed) == ours) continue;
        const std::uintptr_t real = behind(search, slot);
        if (real == 0) continue;
        // Two libraries may load two copies of CUDA: we pass calls on only to the first one.
        std::uintptr_t known = 0;
        if (!std::atomic_ref(*want.real).compare_exchange_strong(known, real) && known != real)
            continue;
        if (lead_elsewhere(slot, ours)) ++done;
    }
    return done;
}

bool others_launch() { return ::dl_iterate_phdr(look_for_others, nullptr) != 0; }

void* found_by(const char* library, const char* name) {
    Search search{};
    search.library = library;
    ::dl_iterate_phdr(look_at, &search);
    return search.path[0] == '\0' ? nullptr : find(search.path, name);
}

}  // namespace holdfast::agent
