#include "sources/cgroup.h"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>

#include "base/text.h"
#include "sources/process_dir.h"

namespace holdfast::sources {

Result<CgroupReader> CgroupReader::of_process(const Roots& roots, int pid) {
    const auto process = ProcessDir::open(roots, pid);
    if (!process) return process.error();
    const auto memberships = read_pid_cgroup(process->fd());
    if (!memberships) return memberships.error();
    // Reads our own mounts, not the process's: we are the ones who open the paths.
    const UniqueFd self(::openat(roots.proc(), "self", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!self) return Error::from_errno("cannot open /proc/self");
    const auto mounts = read_mountinfo(self.get());
    if (!mounts) return mounts.error();
    return open(roots, *memberships, *mounts);
}

Result<CgroupReader> CgroupReader::open(const Roots& roots,
                                        std::span<const CgroupMembership> memberships,
                                        std::span<const Mount> mounts) {
    const auto exists = [&](const std::string& path) {
        return ::access(roots.path(path).c_str(), F_OK) == 0;
    };
    CgroupReader cgroup;
    cgroup.memory_ = open_chain(roots, place_of("memory", memberships, mounts, exists), true);
    cgroup.pids_ = open_chain(roots, place_of("pids", memberships, mounts, exists), false);
    if (cgroup.memory_.levels.empty() && cgroup.pids_.levels.empty())
        return Error{"no cgroup with memory or pids figures is visible", ENOENT};
    cgroup.looks_.resize(cgroup.memory_.levels.size());
    return cgroup;
}

CgroupReader::Chain CgroupReader::open_chain(const Roots& roots,
                                             const std::optional<CgroupPlace>& place, bool memory) {
    Chain chain;
    if (!place) return chain;
    chain.version = place->version;
    chain.view = place->view;
    const char* usage = !memory              ? "pids.current"
                        : chain.version == 1 ? "memory.usage_in_bytes"
                                             : "memory.current";
    for (std::optional<CgroupPlace> at = place; at; at = at->parent()) {
        Level level;
        level.path = at->path();
        level.directory = roots.path(at->directory());
        level.dir.reset(::open(level.directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
        if (!level.dir) continue;
        // Skips levels without figures: the root of the whole hierarchy, and v2 cgroups whose
        // parent has not switched the controller on. Their processes are charged to the next level
        // up.
        auto opened = LiveFile::open(level.dir.get(), usage);
        if (!opened) continue;
        if (memory) {
            const auto keep = [&](const char* name, LiveFile& file) {
                if (auto live = LiveFile::open(level.dir.get(), name)) file = std::move(*live);
            };
            level.usage = std::move(*opened);
            keep(chain.version == 1 ? "memory.oom_control" : "memory.events", level.events);
            if (chain.version == 2 && chain.levels.empty())
                keep("memory.events.local", level.events_local);
        }
        chain.levels.push_back(std::move(level));
    }
    return chain;
}

namespace {

// Enough for memory.stat, the longest file with some 3 KiB.
using Buffer = std::array<char, 16384>;

// The text of the file; "" if this kernel does not have it, or if the cgroup is gone.
std::string_view text_of(int directory, const char* name, Buffer& buffer) {
    const auto file = LiveFile::open(directory, name);
    if (!file) return {};
    const auto text = file->read(buffer);
    return text ? *text : std::string_view();
}

std::optional<std::uint64_t> count_in(int directory, const char* name, Buffer& buffer) {
    return parse_cgroup_count(text_of(directory, name, buffer));
}

std::optional<Bytes> bytes_in(int directory, const char* name, Buffer& buffer) {
    const auto count = count_in(directory, name, buffer);
    return count ? std::optional(Bytes{*count}) : std::nullopt;
}

std::optional<std::uint64_t> limit_in(int directory, const char* name, Buffer& buffer) {
    const auto limit = parse_cgroup_limit(text_of(directory, name, buffer));
    return limit ? limit->value : std::nullopt;
}

std::optional<Bytes> byte_limit_in(int directory, const char* name, Buffer& buffer) {
    const auto limit = limit_in(directory, name, buffer);
    return limit ? std::optional(Bytes{*limit}) : std::nullopt;
}

CgroupMemoryLevel read_v1(int dir, Buffer& buffer) {
    CgroupMemoryLevel level;
    level.limit = byte_limit_in(dir, "memory.limit_in_bytes", buffer);
    level.usage = bytes_in(dir, "memory.usage_in_bytes", buffer);
    level.peak = bytes_in(dir, "memory.max_usage_in_bytes", buffer);
    level.limit_hits = count_in(dir, "memory.failcnt", buffer);
    level.oom_kill = parse_cgroup_events(text_of(dir, "memory.oom_control", buffer)).oom_kill;
    level.oom_kill_local = level.oom_kill;
    level.swap_limit = byte_limit_in(dir, "memory.memsw.limit_in_bytes", buffer);
    level.swap_usage = bytes_in(dir, "memory.memsw.usage_in_bytes", buffer);
    level.memsw_hits = count_in(dir, "memory.memsw.failcnt", buffer);
    level.stat = parse_cgroup_memory_stat(text_of(dir, "memory.stat", buffer), 1);
    level.stat.kernel = bytes_in(dir, "memory.kmem.usage_in_bytes", buffer);
    return level;
}

CgroupMemoryLevel read_v2(int dir, Buffer& buffer) {
    CgroupMemoryLevel level;
    level.limit = byte_limit_in(dir, "memory.max", buffer);
    level.usage = bytes_in(dir, "memory.current", buffer);
    level.peak = bytes_in(dir, "memory.peak", buffer);
    level.high = byte_limit_in(dir, "memory.high", buffer);
    const auto events = parse_cgroup_events(text_of(dir, "memory.events", buffer));
    level.limit_hits = events.max;
    level.oom = events.oom;
    level.oom_kill = events.oom_kill;
    level.oom_kill_local =
        parse_cgroup_events(text_of(dir, "memory.events.local", buffer)).oom_kill;
    const auto group = count_in(dir, "memory.oom.group", buffer);
    if (group) level.oom_group = *group != 0;
    level.swap_limit = byte_limit_in(dir, "memory.swap.max", buffer);
    level.swap_usage = bytes_in(dir, "memory.swap.current", buffer);
    level.stat = parse_cgroup_memory_stat(text_of(dir, "memory.stat", buffer), 2);
    return level;
}

}  // namespace

int CgroupReader::version() const { return memory_.levels.empty() ? 0 : memory_.version; }

CgroupView CgroupReader::view() const { return memory_.levels.empty() ? pids_.view : memory_.view; }

const std::string& CgroupReader::path() const {
    return (memory_.levels.empty() ? pids_ : memory_).levels.front().path;
}

const std::string& CgroupReader::directory() const {
    static const std::string none;
    return memory_.levels.empty() ? none : memory_.levels.front().directory;
}

int CgroupReader::directory_fd() const {
    return memory_.levels.empty() ? -1 : memory_.levels.front().dir.get();
}

std::span<const CgroupLook> CgroupReader::look() {
    std::array<char, 512> buffer;
    const auto text = [&](const LiveFile& file) {
        if (!file) return std::string_view();
        const auto got = file.read(buffer);
        return got ? *got : std::string_view();
    };
    for (std::size_t i = 0; i < memory_.levels.size(); ++i) {
        const Level& level = memory_.levels[i];
        CgroupLook look;
        if (const auto usage = parse_cgroup_count(text(level.usage))) look.usage = Bytes{*usage};
        const auto events = parse_cgroup_events(text(level.events));
        look.limit_hits = events.max;
        look.oom_kill = events.oom_kill;
        look.oom_kill_local = memory_.version == 1
                                  ? events.oom_kill
                                  : parse_cgroup_events(text(level.events_local)).oom_kill;
        looks_[i] = look;
    }
    return looks_;
}

CgroupReading CgroupReader::read() const {
    CgroupReading reading;
    Buffer buffer;
    for (const Level& level : memory_.levels) {
        reading.memory.push_back(memory_.version == 1 ? read_v1(level.dir.get(), buffer)
                                                      : read_v2(level.dir.get(), buffer));
        reading.memory.back().path = level.path;
    }
    for (const Level& level : pids_.levels) {
        const int dir = level.dir.get();
        reading.pids.push_back({level.path, limit_in(dir, "pids.max", buffer),
                                count_in(dir, "pids.current", buffer),
                                parse_cgroup_events(text_of(dir, "pids.events", buffer)).max});
    }
    return reading;
}

Result<CgroupMembers> CgroupReader::members(std::size_t limit) const {
    const Chain& chain = memory_.levels.empty() ? pids_ : memory_;
    const auto file = LiveFile::open(chain.levels.front().dir.get(), "cgroup.procs");
    if (!file) return file.error();
    std::vector<char> buffer(std::size_t{64} << 10U);
    std::size_t have = 0;
    CgroupMembers members;
    while (have < buffer.size()) {
        const auto got = file->read_from(have, std::span(buffer).subspan(have));
        if (!got) return got.error();
        if (*got == 0) break;
        have += *got;
    }
    std::string_view text(buffer.data(), have);
    if (have == buffer.size()) {  // cut: the last line may end inside a number
        members.complete = false;
        text = text.substr(0, text.rfind('\n') + 1);
    }
    while (const auto word = next_word(text)) {
        const auto pid = parse_number<int>(*word);
        if (!pid || *pid < 0) return Error{"cgroup.procs makes no sense", 0};
        if (*pid == 0) {
            ++members.unseen;
        } else if (members.pids.size() < limit) {
            members.pids.push_back(*pid);
        } else {
            members.complete = false;
        }
    }
    return members;
}

std::optional<std::string> CgroupReader::userspace_oom_mark() const {
    for (const Level& level : memory_.levels) {
        for (const char* name : {"user.oomd_kill", "user.oomd_ooms"}) {
            std::array<char, 64> value;
            const ssize_t got =
                ::getxattr(level.directory.c_str(), name, value.data(), value.size());
            if (got <= 0) continue;
            return std::string(name) + "=" +
                   printable({value.data(), static_cast<std::size_t>(got)});
        }
    }
    return std::nullopt;
}

}  // namespace holdfast::sources
