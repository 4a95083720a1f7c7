#include "base/exec_target.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>

namespace holdfast {
namespace {

#if defined(__x86_64__)
constexpr unsigned own_machine = EM_X86_64;
constexpr std::string_view own_loader = "/ld-linux-x86-64.so";
#elif defined(__aarch64__)
constexpr unsigned own_machine = EM_AARCH64;
constexpr std::string_view own_loader = "/ld-linux-aarch64.so";
#else
#error "the agent knows x86_64 and aarch64"
#endif

// Judged by how the file's name begins: sanitizer runtimes insist on being loaded first.
bool is_sanitizer(std::string_view file_name) {
    for (const std::string_view runtime :
         {"libasan.so", "libtsan.so", "libhwasan.so", "liblsan.so", "libclang_rt."})
        if (file_name.starts_with(runtime)) return true;
    return false;
}

// Uses raw system calls: libc's functions are cancellation points, and no program expects to be
// cancelled in exec or posix_spawn.
class File {
public:
    explicit File(const char* path)
        : fd_(static_cast<int>(
              ::syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))) {}
    ~File() {
        if (fd_ >= 0) ::syscall(SYS_close, fd_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    bool is_open() const { return fd_ >= 0; }
    std::size_t read(void* out, std::size_t size, std::uint64_t offset) const {
        const long got = ::syscall(SYS_pread64, fd_, out, size, offset);
        return got < 0 ? 0 : static_cast<std::size_t>(got);
    }
    // Uses read() at the current position, the only call that every seccomp filter allows.
    std::size_t read(void* out, std::size_t size) const {
        const long got = ::syscall(SYS_read, fd_, out, size);
        return got < 0 ? 0 : static_cast<std::size_t>(got);
    }

private:
    int fd_;
};

struct Head {
    ElfW(Ehdr) elf{};
    ElfW(Phdr) segments[24]{};
    unsigned count = 0;
};

bool read_head(const File& file, const char* bytes, std::size_t size, Head& head) {
    if (size < sizeof head.elf) return false;
    std::memcpy(&head.elf, bytes, sizeof head.elf);
    if (head.elf.e_phentsize != sizeof(ElfW(Phdr))) return false;
    head.count = head.elf.e_phnum < 24 ? head.elf.e_phnum : 24;
    const std::size_t wanted = head.count * sizeof(ElfW(Phdr));
    return file.read(head.segments, wanted, head.elf.e_phoff) == wanted;
}

std::uint64_t file_offset(const Head& head, std::uint64_t address) {
    for (unsigned i = 0; i < head.count; ++i) {
        const ElfW(Phdr)& load = head.segments[i];
        if (load.p_type == PT_LOAD && address >= load.p_vaddr &&
            address - load.p_vaddr < load.p_filesz)
            return address - load.p_vaddr + load.p_offset;
    }
    return 0;
}

bool needs_sanitizer(const File& file, const Head& head, const ElfW(Phdr) & dynamic) {
    ElfW(Dyn) entries[64];
    const std::size_t size = dynamic.p_filesz < sizeof entries ? dynamic.p_filesz : sizeof entries;
    const std::size_t count = file.read(entries, size, dynamic.p_offset) / sizeof(ElfW(Dyn));
    std::uint64_t names = 0;
    for (std::size_t i = 0; i < count && entries[i].d_tag != DT_NULL; ++i)
        if (entries[i].d_tag == DT_STRTAB) names = file_offset(head, entries[i].d_un.d_ptr);
    if (names == 0) return false;
    for (std::size_t i = 0; i < count && entries[i].d_tag != DT_NULL; ++i) {
        if (entries[i].d_tag != DT_NEEDED) continue;
        char name[24];
        const std::size_t got = file.read(name, sizeof name, names + entries[i].d_un.d_val);
        if (is_sanitizer(std::string_view(name, got))) return true;
    }
    return false;
}

AgentTarget judge_elf(const File& file, const char* bytes, std::size_t size) {
    if (bytes[EI_CLASS] != ELFCLASS64) return AgentTarget::cannot;
    Head head;
    if (!read_head(file, bytes, size, head)) return AgentTarget::hands_on;
    if (head.elf.e_machine != own_machine) return AgentTarget::cannot;
    AgentTarget target = AgentTarget::hands_on;
    for (unsigned i = 0; i < head.count; ++i) {
        const ElfW(Phdr)& segment = head.segments[i];
        if (segment.p_type == PT_DYNAMIC && needs_sanitizer(file, head, segment))
            return AgentTarget::cannot;
        if (segment.p_type != PT_INTERP) continue;
        char loader[256];
        const std::size_t room =
            segment.p_filesz < sizeof loader ? segment.p_filesz : sizeof loader;
        const std::string_view wanted(loader, file.read(loader, room, segment.p_offset));
        if (wanted.find(own_loader) == wanted.npos) return AgentTarget::cannot;
        target = AgentTarget::loads;
    }
    return target;
}

AgentTarget judge(const char* path, int depth) {
    const File file(path);
    if (!file.is_open()) return AgentTarget::hands_on;
    char bytes[256];
    std::size_t size = file.read(bytes, sizeof bytes - 1, 0);
    if (size < 4) return AgentTarget::hands_on;
    if (std::memcmp(bytes, ELFMAG, SELFMAG) == 0) return judge_elf(file, bytes, size);
    if (bytes[0] != '#' || bytes[1] != '!' || depth == 0) return AgentTarget::hands_on;
    bytes[size] = 0;
    char* interpreter = bytes + 2;
    while (*interpreter == ' ' || *interpreter == '\t') ++interpreter;
    interpreter[std::strcspn(interpreter, " \t\r\n")] = 0;
    return judge(interpreter, depth - 1);
}

}  // namespace

AgentTarget agent_target(const char* path) {
    return path == nullptr ? AgentTarget::hands_on : judge(path, 4);
}

AgentTarget agent_target_by_name(const char* name) {
    if (name == nullptr || *name == 0 || std::strchr(name, '/') != nullptr)
        return agent_target(name);
    const char* path = ::getenv("PATH");
    if (path == nullptr) path = "/bin:/usr/bin";
    const std::size_t length = std::strlen(name);
    for (;;) {
        const std::size_t size = std::strcspn(path, ":");
        char candidate[1024];  // no PATH_MAX: a thread's whole stack may be 16 KiB
        if (size + length + 2 <= sizeof candidate) {
            std::memcpy(candidate, path, size);
            std::size_t at = size;
            if (size > 0) candidate[at++] = '/';
            std::memcpy(candidate + at, name, length + 1);
            if (::access(candidate, X_OK) == 0) return agent_target(candidate);
        }
        if (path[size] == 0) return AgentTarget::hands_on;
        path += size + 1;
    }
}

bool can_take_agent(const char* path) { return agent_target(path) != AgentTarget::cannot; }

bool can_take_agent_by_name(const char* name) {
    return agent_target_by_name(name) != AgentTarget::cannot;
}

int seccomp_filters() {
    const File status("/proc/self/status");
    if (!status.is_open()) return -1;
    char text[3072];
    text[status.read(text, sizeof text - 1)] = 0;
    for (const char* name : {"\nSeccomp_filters:", "\nSeccomp:"}) {
        const char* at = std::strstr(text, name);
        if (at == nullptr) continue;
        const int number = std::atoi(at + std::strlen(name));
        return name[8] == '_' || number == 0 ? number : 1;
    }
    return -1;
}

bool names_sanitizer(const char* preload, std::size_t size) {
    std::size_t name = 0;  // start of the last path component; a folder may have any name
    for (std::size_t at = 0; at <= size; ++at) {
        const bool ends = at == size || preload[at] == ':' || preload[at] == ' ';
        if (ends && is_sanitizer(std::string_view(preload + name, at - name))) return true;
        if (ends || preload[at] == '/') name = at + 1;
    }
    return false;
}

}  // namespace holdfast
