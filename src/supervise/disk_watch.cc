#include "supervise/disk_watch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/no_room.h"
#include "base/text.h"
#include "record/box_reader.h"
#include "sources/filesystem_space.h"
#include "sources/mountinfo.h"
#include "sources/pid_fds.h"
#include "sources/process_dir.h"
#include "supervise/local_path.h"

namespace holdfast {
namespace {

std::vector<sources::Mount> mounts_here() {
    const auto roots = sources::Roots::open();
    if (!roots) return {};
    const auto dir = sources::ProcessDir::open(*roots, ::getpid());
    if (!dir) return {};
    const auto mounts = sources::read_mountinfo(dir->fd());
    return mounts ? *mounts : std::vector<sources::Mount>{};
}

// Only types that are known to be local: any other may never answer. Read-only images are always
// full.
bool could_fill(const sources::Mount& mount) {
    static constexpr std::string_view types[] = {"ext2", "ext3",  "ext4",     "xfs",   "btrfs",
                                                 "f2fs", "tmpfs", "overlay",  "zfs",   "jfs",
                                                 "vfat", "exfat", "bcachefs", "ntfs3", "reiserfs"};
    return mount.has_super_option("rw") &&
           std::find(std::begin(types), std::end(types), mount.type) != std::end(types);
}

}  // namespace

void DiskWatch::add(Nanos now, const std::string& use, const std::string& path) {
    if (path.empty() || path[0] != '/' || watched_.size() >= table_->capacity()) return;
    const auto same_path = [&](const Watched& w) { return w.path == path; };
    if (std::any_of(watched_.begin(), watched_.end(), same_path)) return;
    if (std::find(refused_.begin(), refused_.end(), path) != refused_.end()) return;
    struct stat info {};
    if (on_network(mounts_here(), path) || ::stat(path.c_str(), &info) != 0) {
        if (refused_.size() < 64) refused_.push_back(path);
        return;
    }
    const auto same_disk = [&](const Watched& w) { return w.filesystem == info.st_dev; };
    if (std::any_of(watched_.begin(), watched_.end(), same_disk)) {
        if (refused_.size() < 64) refused_.push_back(path);  // its filesystem is watched already
        return;
    }
    Watched fresh{path, info.st_dev, {}};
    fresh.record.free_least = format::unknown;
    set_fixed_text(fresh.record.use, use);
    set_fixed_text(fresh.record.path, printable(path));
    watched_.push_back(std::move(fresh));
    look(now);
}

void DiskWatch::add_written_by(Nanos now, int process_dir) {
    const auto files = sources::written_files(process_dir);
    if (!files) return;
    for (const sources::WrittenFile& file : *files) {
        const std::size_t slash = file.path.rfind('/');
        if (!file.deleted && slash != std::string::npos && slash > 0)
            add(now, "written to", file.path.substr(0, slash));
    }
}

void DiskWatch::add_full(Nanos now) {
    constexpr std::size_t most = 512;
    // A host with many containers has a mount of the same full disk for each of them.
    const std::size_t room = watched_.size() + 4;
    const std::vector<sources::Mount> mounts = mounts_here();
    for (std::size_t i = 0; i < std::min(most, mounts.size()) && watched_.size() < room; ++i) {
        if (!could_fill(mounts[i])) continue;
        const auto space = sources::read_filesystem_space(mounts[i].point);
        if (space && space->size > Bytes{} && no_room(space->free, space->size, space->inodes_free))
            add(now, "full", mounts[i].point);
    }
}

void DiskWatch::look(Nanos now) {
    for (std::size_t slot = 0; slot < watched_.size(); ++slot) {
        format::Disk& record = watched_[slot].record;
        const auto space = sources::read_filesystem_space(watched_[slot].path);
        if (!space) continue;
        record.last_seen = now.count();
        record.size = space->size.count;
        record.free = space->free.count;
        record.free_least = std::min(record.free_least, record.free);
        record.inodes_free = space->inodes_free.value_or(format::unknown);
        record.magic = space->magic;
        table_->put(slot, record);
    }
}

}  // namespace holdfast
