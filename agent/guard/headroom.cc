#include "agent/guard/headroom.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "agent/base/raw_calls.h"

namespace holdfast::agent {
namespace {

constexpr std::size_t most_path = 600;
constexpr std::size_t most_text = 6144;

// Reads the files of one cgroup level.
class LevelFiles {
public:
    LevelFiles(const char* directory, std::size_t length) : length_(length) {
        std::memcpy(path_, directory, length);
        path_[length] = '/';
    }
    // An empty text where the file cannot be read; `missing` where there is none.
    Text read(const char* name) {
        const std::size_t size = std::strlen(name);
        missing_ = false;
        if (length_ + 1 + size >= sizeof path_) return {};
        std::memcpy(path_ + length_ + 1, name, size + 1);
        const std::size_t got = read_small_file(path_, text_, sizeof text_);
        missing_ = got == 0 && errno == ENOENT;
        return {text_, got};
    }
    bool missing() const { return missing_; }

private:
    char path_[most_path];
    char text_[most_text];
    std::size_t length_;
    bool missing_ = false;
};

struct Machine {
    std::uint64_t total = no_figure, available = no_figure;
    std::uint64_t swap_total = 0, swap_free = 0;
};

bool read_machine(Machine& machine) {
    char text[most_text];
    const std::size_t size = read_small_file("/proc/meminfo", text, sizeof text);
    const Text all(text, size);
    const auto bytes = [&](Text name) {
        const std::uint64_t kib = figure_named(all, name);
        return kib == no_figure || kib > (no_figure >> 11U) ? no_figure : kib << 10U;
    };
    machine.total = bytes("MemTotal:");
    machine.available = bytes("MemAvailable:");
    const std::uint64_t swap_total = bytes("SwapTotal:");
    const std::uint64_t swap_free = bytes("SwapFree:");
    if (swap_total != no_figure && swap_free != no_figure) {
        machine.swap_total = swap_total;
        machine.swap_free = swap_free;
    }
    return machine.total != no_figure && machine.available != no_figure;
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? no_figure : sum;
}

struct FilePages {
    std::uint64_t clean = 0, unwritten = 0;
    std::uint64_t mapped = 0;
    std::uint64_t refaults = 0;
};

void consider(Headroom& least, std::uint64_t room, const FilePages& pages, std::uint64_t limit,
              std::uint32_t levels_up) {
    const std::uint64_t most = plus(room, pages.unwritten);
    if (room < least.room) least.room = room;
    if (most < least.most) {
        least.most = most;
        least.files = pages.clean + pages.unwritten;
        least.code = pages.mapped;
        least.refaults = pages.refaults;
        least.limit = limit;
        least.levels_up = levels_up;
    }
    if (limit < least.smallest) least.smallest = limit;
}

// Never "cache" or "file": they hold shared memory, which cannot be dropped.
bool read_file_pages(LevelFiles& files, bool v1, std::uint64_t usage, FilePages& pages) {
    const Text stat = files.read("memory.stat");
    const std::uint64_t active = figure_named(stat, v1 ? Text("total_active_file") : "active_file");
    const std::uint64_t inactive =
        figure_named(stat, v1 ? Text("total_inactive_file") : "inactive_file");
    std::uint64_t dirty = figure_named(stat, v1 ? Text("total_dirty") : "file_dirty");
    std::uint64_t writeback = figure_named(stat, v1 ? Text("total_writeback") : "file_writeback");
    if (active == no_figure || inactive == no_figure) return false;
    if (dirty == no_figure) dirty = 0;
    if (writeback == no_figure) writeback = 0;
    std::uint64_t all = plus(active, inactive);
    if (all > usage) all = usage;  // read at another moment than the usage
    pages.unwritten = plus(dirty, writeback);
    if (pages.unwritten > all) pages.unwritten = all;
    pages.clean = all - pages.unwritten;
    const std::uint64_t mapped = figure_named(stat, v1 ? Text("total_mapped_file") : "file_mapped");
    // Mapped shared memory is in that figure, too.
    if (mapped != no_figure) pages.mapped = mapped < all ? mapped : all;
    const std::uint64_t again =
        figure_named(stat, v1 ? Text("total_workingset_refault_file") : "workingset_refault_file");
    if (again != no_figure) pages.refaults = again;
    return true;
}

// Room that swap adds to this level, and what it adds to the limit.
struct SwapRoom {
    std::uint64_t room = 0, limit = 0;
};

SwapRoom swap_of_v2(LevelFiles& files, const Machine& machine) {
    SwapRoom swap{machine.swap_free, machine.swap_total};
    if (machine.swap_total == 0) return swap;
    std::uint64_t limit = no_figure;
    if (!limit_in(files.read("memory.swap.max"), limit) || limit == no_figure) return swap;
    const std::uint64_t used = leading_number(files.read("memory.swap.current"));
    const std::uint64_t left = at_least_nothing(limit, used == no_figure ? 0 : used);
    if (left < swap.room) swap.room = left;
    if (limit < swap.limit) swap.limit = limit;
    return swap;
}

SwapRoom swap_of_v1(LevelFiles& files, const Machine& machine) {
    SwapRoom swap{machine.swap_free, machine.swap_total};
    if (machine.swap_total == 0) return swap;
    if (leading_number(files.read("memory.swappiness")) == 0) return {};
    return swap;
}

// False: the level could not be read, so nothing is known.
bool read_level(const format::GuardPlace& place, std::size_t length, std::uint32_t levels_up,
                const Machine& machine, Headroom& least) {
    const bool v1 = place.version == 1;
    LevelFiles files(place.directory, length);
    std::uint64_t limit = no_figure;
    const Text limit_text = files.read(v1 ? "memory.limit_in_bytes" : "memory.max");
    if (files.missing()) return true;  // v2's root has none
    if (!limit_in(limit_text, limit)) return false;
    std::uint64_t both_limit = no_figure;  // v1: memory and swap together
    if (v1 && machine.swap_total > 0) {
        const Text text = files.read("memory.memsw.limit_in_bytes");
        if (!files.missing() && !limit_in(text, both_limit)) return false;
    }
    if (limit == no_figure && both_limit == no_figure) return true;
    const std::uint64_t usage =
        leading_number(files.read(v1 ? "memory.usage_in_bytes" : "memory.current"));
    FilePages pages;
    if (usage == no_figure || !read_file_pages(files, v1, usage, pages)) return false;
    if (limit != no_figure) {
        const SwapRoom swap = v1 ? swap_of_v1(files, machine) : swap_of_v2(files, machine);
        const std::uint64_t free = at_least_nothing(limit, usage);
        const std::uint64_t room = plus(plus(free, pages.clean), swap.room);
        consider(least, room, pages, plus(limit, swap.limit), levels_up);
    }
    if (both_limit != no_figure) {
        const std::uint64_t both = leading_number(files.read("memory.memsw.usage_in_bytes"));
        if (both == no_figure) return false;
        const std::uint64_t room = plus(at_least_nothing(both_limit, both), pages.clean);
        consider(least, room, pages, both_limit, levels_up);
    }
    return true;
}

}  // namespace

std::size_t read_small_file(const char* path, char* out, std::size_t room) {
    const int fd = raw_open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const ssize_t got = raw_read(fd, out, room);
    raw_close(fd);
    if (got <= 0) {
        errno = EIO;
        return 0;
    }
    return static_cast<std::size_t>(got);
}

Headroom read_headroom(const format::GuardPlace& place) {
    Headroom least;
    Machine machine;
    if (!read_machine(machine)) return {};
    const std::uint64_t room = plus(machine.available, machine.swap_free);
    consider(least, room, {}, plus(machine.total, machine.swap_total), whole_machine);
    std::size_t length = ::strnlen(place.directory, sizeof place.directory);
    if (length == sizeof place.directory) return {};
    for (std::uint32_t i = 0; i < place.levels; ++i) {
        if (length == 0) return {};
        if (!read_level(place, length, i, machine, least)) return {};
        while (length > 0 && place.directory[length - 1] != '/') --length;
        if (length > 0) --length;
    }
    least.known = true;
    return least;
}

}  // namespace holdfast::agent
