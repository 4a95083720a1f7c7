#include "agent/guard/victim.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <initializer_list>

#include "agent/base/raw_calls.h"
#include "agent/guard/figures.h"
#include "agent/guard/headroom.h"

namespace holdfast::agent {
namespace {

constexpr char agent_name[] = "libholdfast_agent";

// A file of one process: "/proc/417/status".
class ProcessFile {
public:
    ProcessFile(const char* proc, pid_t pid, const char* name) {
        std::size_t at = 0;
        for (const char* from = proc; *from != 0 && at < room; ++from) path_[at++] = *from;
        path_[at++] = '/';
        char digits[12];
        std::size_t count = 0;
        for (auto rest = static_cast<unsigned>(pid); rest != 0 || count == 0; rest /= 10)
            digits[count++] = static_cast<char>('0' + rest % 10);
        while (count > 0) path_[at++] = digits[--count];
        path_[at++] = '/';
        std::memcpy(path_ + at, name, std::strlen(name) + 1);
    }
    const char* path() const { return path_; }
    template <std::size_t N>
    Text read(char (&text)[N]) const {
        return {text, read_small_file(path_, text, N)};
    }

private:
    static constexpr std::size_t room = 200;
    char path_[room + 64];
};

std::int64_t signed_number(Text text) {
    const bool below = text.starts_with("-");
    const std::uint64_t value =
        leading_number({text.data + (below ? 1 : 0), text.size - (below ? 1 : 0)});
    if (value > 1000) return 0;
    return below ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

std::int64_t weight_of(const char* proc, pid_t pid, std::uint64_t limit) {
    char status[2048];
    char adjustment[16];
    return weight_of(ProcessFile(proc, pid, "status").read(status),
                     ProcessFile(proc, pid, "oom_score_adj").read(adjustment), limit);
}

// The cgroup path `levels` levels up; "" is the root.
Text up(Text path, std::uint32_t levels) {
    for (; levels > 0 && path.size > 0; --levels)
        while (path.size > 0 && path.data[--path.size] != '/') {
        }
    if (path == "/") path.size = 0;
    return path;
}

bool is_at_or_below(Text path, Text above) {
    return path.starts_with(above) &&
           (path.size == above.size || above.size == 0 || path.data[above.size] == '/');
}

// Tells which processes live in the cgroup where memory is scarce.
class Neighbourhood {
public:
    Neighbourhood(const char* proc, pid_t own, const Shortage& shortage)
        : proc_(proc), shortage_(shortage) {
        if (shortage.levels_up == whole_machine) return;
        level_ = up(memory_path(ProcessFile(proc, own, "cgroup").read(text_), shortage.version),
                    shortage.levels_up);
    }
    bool holds(pid_t other) const {
        if (shortage_.levels_up == whole_machine) return true;
        char text[4096];
        const Text path =
            memory_path(ProcessFile(proc_, other, "cgroup").read(text), shortage_.version);
        return !path.empty() && is_at_or_below(path, level_);
    }

private:
    const char* proc_;
    const Shortage& shortage_;
    char text_[4096];
    Text level_;
};

bool is_watched(const char* proc, pid_t pid) {
    const int fd = raw_open(ProcessFile(proc, pid, "maps").path(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    char text[4096];
    std::size_t kept = 0;  // the name may lie across two reads
    bool found = false;
    for (ssize_t got = 0; !found && (got = raw_read(fd, text + kept, sizeof text - kept)) > 0;) {
        const std::size_t size = kept + static_cast<std::size_t>(got);
        found = Text(text, size).contains(agent_name);
        kept = size < sizeof agent_name ? size : sizeof agent_name;
        std::memmove(text, text + size - kept, kept);
    }
    raw_close(fd);
    return found;
}

// By the kernel's own call: opendir() allocates, and we are inside malloc.
template <typename Do>
void each_process(const char* proc, Do&& what) {
    const int fd = raw_open(proc, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    alignas(8) char entries[4096];
    for (long got = 0; (got = ::syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0;)
        for (long at = 0; at < got;) {
            std::uint16_t length = 0;
            std::memcpy(&length, entries + at + 16, sizeof length);
            const char* name = entries + at + 19;
            const std::uint64_t pid = leading_number(Text::of(name));
            if (pid != 0 && pid < (1U << 30U)) what(static_cast<pid_t>(pid));
            if (length == 0) break;
            at += length;
        }
    raw_close(fd);
}

}  // namespace

std::int64_t weight_of(Text status, Text adjustment, std::uint64_t limit) {
    std::uint64_t kib = 0;
    for (const Text name : {Text("VmRSS:"), Text("VmSwap:"), Text("VmPTE:")})
        if (const std::uint64_t part = figure_named(status, name); part < (1ULL << 40U))
            kib += part;
    const std::int64_t score = signed_number(adjustment);
    if (kib == 0 || score <= -1000) return -1;
    const auto weight = static_cast<std::int64_t>(kib << 10U);
    return weight + static_cast<std::int64_t>(limit / 1000) * score;
}

Text memory_path(Text cgroup, std::uint32_t version) {
    for (std::size_t at = 0; at < cgroup.size;) {
        const char* line = cgroup.data + at;
        const void* newline = std::memchr(line, '\n', cgroup.size - at);
        const std::size_t size =
            newline == nullptr ? cgroup.size - at
                               : static_cast<std::size_t>(static_cast<const char*>(newline) - line);
        at += size + 1;
        const void* first = std::memchr(line, ':', size);
        if (first == nullptr) continue;
        const char* names = static_cast<const char*>(first) + 1;
        const auto left = static_cast<std::size_t>(line + size - names);
        const void* second = std::memchr(names, ':', left);
        if (second == nullptr) continue;
        const char* path = static_cast<const char*>(second) + 1;
        const Text controllers(names, static_cast<std::size_t>(path - names) - 1);
        const bool wanted = version == 1 ? controllers.contains("memory") : controllers.empty();
        if (wanted) return {path, static_cast<std::size_t>(line + size - path)};
    }
    return {};
}

bool stranger_dies_first(const char* proc, pid_t own, const Shortage& shortage,
                         std::uint64_t more) {
    const std::int64_t mine = weight_of(proc, own, shortage.limit);
    if (mine < 0) return false;
    const std::int64_t then = mine + static_cast<std::int64_t>(more);
    const Neighbourhood here(proc, own, shortage);
    pid_t heaviest = 0;
    std::int64_t most = 0;
    each_process(proc, [&](pid_t pid) {
        if (pid == own) return;
        const std::int64_t weight = weight_of(proc, pid, shortage.limit);
        // The figures are from different moments, so in doubt the kernel kills us. The cgroup is
        // asked last: a machine may have many heavier processes elsewhere.
        if (weight <= most || weight - weight / 16 <= then || !here.holds(pid)) return;
        heaviest = pid;
        most = weight;
    });
    return heaviest != 0 && !is_watched(proc, heaviest);
}

}  // namespace holdfast::agent
