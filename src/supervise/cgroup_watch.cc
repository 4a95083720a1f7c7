#include "supervise/cgroup_watch.h"

#include <unistd.h>

#include <algorithm>

#include "base/read_file.h"
#include "record/box_reader.h"
#include "record/fixed_fields.h"
#include "sources/cgroup_place.h"
#include "sources/pid_stat.h"
#include "sources/process_dir.h"

namespace holdfast {
namespace {

constexpr std::uint64_t unknown = format::unknown;

void keep_first(std::uint64_t& first, std::uint64_t now) {
    if (first == unknown) first = now;
}

format::CgroupLevel unseen_level() {
    format::CgroupLevel level{};
    forget(level, &format::CgroupLevel::limit, &format::CgroupLevel::pids_refused);
    level.oom_group = ~0U;
    return level;
}

// Clean file pages of this level, which the kernel can reclaim without killing. Not all of "file":
// it includes shared memory, which the kernel cannot reclaim.
std::optional<Bytes> reclaimable_of(const sources::CgroupMemoryStat& stat) {
    if (!stat.active_file || !stat.inactive_file) return std::nullopt;
    return *stat.active_file + *stat.inactive_file -
           (stat.dirty.value_or(Bytes{}) + stat.writeback.value_or(Bytes{}));
}

// The path in the hierarchy that counts memory: v1's memory hierarchy, else the unified one.
std::string memory_path(const std::vector<sources::CgroupMembership>& memberships) {
    std::string unified;
    for (const sources::CgroupMembership& one : memberships) {
        if (std::find(one.controllers.begin(), one.controllers.end(), "memory") !=
            one.controllers.end())
            return one.path;
        if (one.hierarchy == 0) unified = one.path;
    }
    return unified;
}

bool exiting(int process_dir) {
    const auto stat = sources::read_pid_stat(process_dir);
    return !stat || sources::is_exiting(*stat);
}

bool below(const std::string& path, const std::string& ancestor) {
    if (ancestor.empty() || ancestor == "/") return true;
    return path.starts_with(ancestor) &&
           (path.size() == ancestor.size() || path[ancestor.size()] == '/');
}

}  // namespace

CgroupWatch::CgroupWatch(const sources::Roots& roots, TableWriter<format::Cgroup>& table,
                         EventLog& events)
    : roots_(&roots), table_(&table), events_(&events) {}

std::optional<int> CgroupWatch::slot_of(Nanos now, int process_dir) {
    const auto text = read_file_at(process_dir, "cgroup");
    // The process ended before we could ask, so assume our own cgroup, into which it was born.
    if (!text) return watched_.empty() ? std::nullopt : std::optional(0);
    // On v1 the kernel shows every exiting process in the root cgroup, whose counters mean nothing.
    // Checked after the text was read: a process that is not exiting now was not exiting then.
    if (exiting(process_dir)) return std::nullopt;
    for (std::size_t slot = 0; slot < watched_.size(); ++slot)
        if (watched_[slot].key == *text) return static_cast<int>(slot);
    if (watched_.size() >= table_->capacity()) return std::nullopt;
    const auto memberships = sources::parse_pid_cgroup(*text);
    if (!memberships) return std::nullopt;
    // Our mounts, not the process's: we read the files through our own mount namespace.
    if (mounts_.empty())
        if (const auto self = sources::ProcessDir::open(*roots_, ::getpid()))
            if (auto mounts = sources::read_mountinfo(self->fd()))
                mounts_ = std::move(mounts).value();
    auto cgroup = sources::CgroupReader::open(*roots_, *memberships, mounts_);
    if (!cgroup) {
        why_none_ = cgroup.error().text;
        return std::nullopt;
    }
    Watched watched{*text, std::move(cgroup).value(), {}, {}, now, now};
    watched.record.version = static_cast<std::uint32_t>(watched.cgroup.version());
    watched.record.last_seen = now.count();
    set_fixed_text(watched.record.path, watched.cgroup.path());
    for (auto& level : watched.record.levels) level = unseen_level();
    watched_.push_back(std::move(watched));
    read_levels(watched_.back());
    save(watched_.size() - 1);
    const int slot = static_cast<int>(watched_.size() - 1);
    // Marks only count up: note the old ones, or an old kill would pass for a new one.
    if (const auto mark = watched_.back().cgroup.userspace_oom_mark())
        events_->userspace_oom_mark(now, slot, *mark);
    return slot;
}

void CgroupWatch::open_own(Nanos now) {
    if (const auto self = sources::ProcessDir::open(*roots_, ::getpid()))
        (void)slot_of(now, self->fd());
}

// From some containers only a wider group is visible, whose kills may be anybody's.
bool CgroupWatch::counts_are_ours(const Watched& watched) {
    return watched.cgroup.view() == sources::CgroupView::own;
}

void CgroupWatch::read_levels(Watched& watched) const {
    const sources::CgroupReading reading = watched.cgroup.read();
    format::Cgroup& record = watched.record;
    const std::size_t depth = std::max(reading.memory.size(), reading.pids.size());
    record.level_count = static_cast<std::uint32_t>(std::min(depth, format::cgroup_levels));
    watched.reclaimable.assign(record.level_count, std::nullopt);
    for (std::size_t i = 0; i < record.level_count; ++i) {
        format::CgroupLevel& level = record.levels[i];
        level.components_up = static_cast<std::uint32_t>(i);
        if (i < reading.memory.size()) {
            const sources::CgroupMemoryLevel& seen = reading.memory[i];
            level.limit = stored(seen.limit);
            level.usage = stored(seen.usage);
            keep_first(level.usage_first, level.usage);
            level.peak = stored(seen.peak);
            level.limit_hits = stored(seen.limit_hits);
            keep_first(level.limit_hits_first, level.limit_hits);
            level.oom = stored(seen.oom);
            keep_first(level.oom_first, level.oom);
            level.swap_limit = stored(seen.swap_limit);
            level.swap_usage = stored(seen.swap_usage);
            if (seen.oom_group) level.oom_group = *seen.oom_group ? 1 : 0;
            // Later counts of kills go through count_kills, which records every change.
            if (level.oom_kill_first == unknown && counts_are_ours(watched)) {
                const auto own =
                    i == 0 && seen.oom_kill_local ? seen.oom_kill_local : seen.oom_kill;
                level.oom_kill_first = level.oom_kill = stored(own);
            }
            watched.reclaimable[i] = reclaimable_of(seen.stat);
        }
        if (i < reading.pids.size()) {
            level.pids_limit = stored(reading.pids[i].limit);
            level.pids = stored(reading.pids[i].usage);
            level.pids_refused = stored(reading.pids[i].refused);
            keep_first(level.pids_refused_first, level.pids_refused);
        }
    }
    if (!reading.memory.empty()) {
        const sources::CgroupMemoryStat& stat = reading.memory[0].stat;
        record.anon = stored(stat.anon);
        record.file = stored(stat.file);
        record.shmem = stored(stat.shmem);
        record.kernel = stored(stat.kernel);
    }
}

bool CgroupWatch::is_close(const Watched& watched) {
    for (std::size_t i = 0; i < watched.record.level_count; ++i) {
        const format::CgroupLevel& level = watched.record.levels[i];
        if (level.limit == unknown || level.usage == unknown) continue;
        if ((Bytes{level.limit} - Bytes{level.usage}).share_of(Bytes{level.limit}) < 0.125)
            return true;
    }
    return false;
}

void CgroupWatch::glance(Nanos now, Nanos refresh) {
    for (std::size_t slot = 0; slot < watched_.size(); ++slot) {
        Watched& watched = watched_[slot];
        const auto looks = watched.cgroup.look();
        const std::size_t levels = std::min<std::size_t>(looks.size(), watched.record.level_count);
        for (std::size_t i = 0; i < levels; ++i) {
            format::CgroupLevel& level = watched.record.levels[i];
            if (looks[i].usage) level.usage = looks[i].usage->count;
            if (!counts_are_ours(watched)) continue;
            const auto kills =
                i == 0 && looks[i].oom_kill_local ? looks[i].oom_kill_local : looks[i].oom_kill;
            if (!kills) continue;
            if (i == 0)
                count_kills(now, slot, *kills);
            else
                level.oom_kill = *kills;
        }
        // Close to a limit, file pages may be dropped at any moment: a figure from before the last
        // study would show room that is gone.
        if (is_close(watched) && now - watched.last_refresh >= refresh) {
            read_levels(watched);
            watched.last_refresh = now;
        }
        watched.last_glance = now;
        watched.record.last_seen = now.count();
    }
}

void CgroupWatch::count_kills(Nanos now, std::size_t slot, std::uint64_t count) {
    Watched& watched = watched_[slot];
    format::CgroupLevel& own = watched.record.levels[0];
    if (own.oom_kill != unknown && count > own.oom_kill)
        events_->oom_kill_moved(now, static_cast<int>(slot), own.oom_kill, count,
                                watched.last_glance);
    own.oom_kill = count;
}

void CgroupWatch::study(Nanos now, const IsOurs& is_ours) {
    for (std::size_t slot = 0; slot < watched_.size(); ++slot) {
        read_levels(watched_[slot]);
        note_strangers(watched_[slot], is_ours);
        watched_[slot].record.last_seen = now.count();
        save(slot);
    }
}

// A new child may be seen here before the tree has found it. If it is gone at the next look, it
// counts as a stranger, which can lower a verdict's confidence but never raise it.
void CgroupWatch::note_strangers(Watched& watched, const IsOurs& is_ours) {
    const auto members = watched.cgroup.members();
    if (!members) return;
    auto& strangers = watched.record.strangers;
    std::fill(std::begin(strangers), std::end(strangers), 0);
    std::size_t count = 0;
    for (const int pid : members->pids)
        if (!is_ours(pid) && count + 1 < std::size(strangers)) strangers[count++] = pid;
}

void CgroupWatch::settle(Nanos now, const IsOurs& is_ours, int limited,
                         const std::vector<pid_t>& others_gone) {
    glance(now);
    for (std::size_t slot = 0; slot < watched_.size(); ++slot) {
        Watched& watched = watched_[slot];
        // A count that cannot be read at the end must not look as if it had stood still.
        const auto looks = watched.cgroup.look();
        if (looks.empty() || !(looks[0].oom_kill || looks[0].oom_kill_local))
            watched.record.levels[0].oom_kill = unknown;
        read_levels(watched);
        auto& gone = watched.record.strangers_gone;
        std::size_t count = 0;
        if (static_cast<int>(slot) == limited)
            for (const pid_t pid : others_gone)
                if (count < std::size(gone)) gone[count++] = pid;
        if (const auto members = watched.cgroup.members()) {
            for (const std::int32_t pid : watched.record.strangers) {
                if (pid == 0 || count >= std::size(gone)) break;
                const auto& pids = members->pids;
                if (std::find(pids.begin(), pids.end(), pid) == pids.end() && !is_ours(pid))
                    gone[count++] = pid;
            }
        }
        save(slot);
    }
}

TightestLevel CgroupWatch::tightest(int slot) const {
    TightestLevel best;
    if (slot < 0 || static_cast<std::size_t>(slot) >= watched_.size()) return best;
    const Watched& watched = watched_[static_cast<std::size_t>(slot)];
    for (std::size_t i = 0; i < watched.record.level_count; ++i) {
        const format::CgroupLevel& level = watched.record.levels[i];
        if (level.usage == unknown) continue;
        if (level.limit == unknown) {
            if (!best.limit && !best.usage) best.usage = Bytes{level.usage};
            continue;
        }
        const Bytes used = Bytes{level.usage} - watched.reclaimable[i].value_or(Bytes{});
        const Bytes room = Bytes{level.limit} - used;
        if (best.headroom && *best.headroom <= room) continue;
        best = {Bytes{level.usage}, Bytes{level.limit}, room};
    }
    return best;
}

std::vector<CgroupAddress> CgroupWatch::addresses() const {
    std::vector<CgroupAddress> known;
    for (std::size_t slot = 0; slot < watched_.size(); ++slot) {
        const sources::CgroupReader& cgroup = watched_[slot].cgroup;
        if (cgroup.view() == sources::CgroupView::stand_in) continue;
        const TightestLevel level = tightest(static_cast<int>(slot));
        known.push_back({watched_[slot].key, cgroup.directory(), cgroup.version(),
                         cgroup.memory_levels(), level.headroom, level.limit});
    }
    return known;
}

bool CgroupWatch::shares_limit(int process_dir, int slot) const {
    if (slot < 0 || static_cast<std::size_t>(slot) >= watched_.size()) return false;
    const Watched& watched = watched_[static_cast<std::size_t>(slot)];
    const auto text = read_file_at(process_dir, "cgroup");
    if (!text) return false;
    const auto theirs = sources::parse_pid_cgroup(*text);
    const auto ours = sources::parse_pid_cgroup(watched.key);
    if (!theirs || !ours) return false;
    std::string limited = memory_path(*ours);
    for (std::size_t i = 0; i < watched.record.level_count; ++i) {
        if (watched.record.levels[i].limit != unknown) return below(memory_path(*theirs), limited);
        const std::size_t slash = limited.rfind('/');
        limited.resize(slash == std::string::npos ? 0 : slash);
    }
    return false;
}

std::uint64_t CgroupWatch::all_kills() const {
    std::uint64_t sum = 0;
    for (const Watched& watched : watched_)
        if (const auto count = known(watched.record.levels[0].oom_kill)) sum += *count;
    return sum;
}

std::optional<std::uint64_t> CgroupWatch::kills(int slot) const {
    if (slot < 0 || static_cast<std::size_t>(slot) >= watched_.size()) return std::nullopt;
    return known(watched_[static_cast<std::size_t>(slot)].record.levels[0].oom_kill);
}

std::optional<Bytes> CgroupWatch::shared_memory(int slot) const {
    if (slot < 0 || static_cast<std::size_t>(slot) >= watched_.size()) return std::nullopt;
    const auto amount = known(watched_[static_cast<std::size_t>(slot)].record.shmem);
    return amount ? std::optional(Bytes{*amount}) : std::nullopt;
}

void CgroupWatch::save(std::size_t slot) { table_->put(slot, watched_[slot].record); }

}  // namespace holdfast
