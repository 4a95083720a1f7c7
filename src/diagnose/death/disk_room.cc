#include "diagnose/death/disk_room.h"

#include "base/no_room.h"
#include "diagnose/death/witnesses.h"

namespace holdfast {
namespace {

bool full(const DiskEvidence& disk) {
    if (disk.inodes_free == 0U) return true;
    const std::optional<Bytes> free = least_free(disk);
    return free && no_room(*free, disk.size, disk.inodes_free);
}

bool holds(const DiskEvidence& disk, const std::string& path) {
    if (disk.path == "/") return path.starts_with("/");
    return path == disk.path || path.starts_with(disk.path + "/");
}

// The watched filesystem that holds the path: the one with the longest mount point.
const DiskEvidence* disk_of(const Evidence& all, const std::string& path) {
    const DiskEvidence* best = nullptr;
    for (const DiskEvidence& disk : all.disks)
        if (holds(disk, path) && (best == nullptr || disk.path.size() > best->path.size()))
            best = &disk;
    return best;
}

}  // namespace

std::optional<Bytes> least_free(const DiskEvidence& disk) {
    return disk.free_least ? disk.free_least : disk.free_last;
}

const DiskEvidence* full_disk(const Evidence& all, const std::string& path) {
    if (path.starts_with("/")) {
        const DiskEvidence* disk = disk_of(all, path);
        return disk != nullptr && full(*disk) ? disk : nullptr;
    }
    const DiskEvidence* elsewhere = nullptr;
    for (const DiskEvidence& disk : all.disks) {
        if (disk.path == "/dev/shm" || !full(disk)) continue;
        if (is_used(disk)) return &disk;
        if (elsewhere == nullptr) elsewhere = &disk;
    }
    return elsewhere;
}

bool is_used(const DiskEvidence& disk) { return disk.use != "full"; }

bool only_shared_memory_full(const Evidence& all) {
    bool shared = false;
    for (const DiskEvidence& disk : all.disks) {
        if (!full(disk)) continue;
        if (disk.path != "/dev/shm") return false;
        shared = true;
    }
    return shared;
}

bool filled_shared_memory(const Death& death) {
    const CrashEvidence* crash = crash_of(death);
    if (crash == nullptr || death.process == nullptr || !death.process->shmem ||
        !crash->mapped_file.starts_with("/dev/shm/"))
        return false;
    const DiskEvidence* disk = disk_of(death.all, crash->mapped_file);
    return disk != nullptr && disk->size && death.process->shmem->share_of(*disk->size) >= 0.5;
}

}  // namespace holdfast
