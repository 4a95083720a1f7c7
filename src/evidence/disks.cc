// Room on the filesystems the run uses.
#include "evidence/gatherers.h"
#include "sources/filesystem_space.h"

namespace holdfast::gatherers {

std::vector<DiskEvidence> disks(const RunRecord& record) {
    std::vector<DiskEvidence> all;
    for (const format::Disk& d : record.disks) {
        DiskEvidence disk;
        disk.use = fixed_text(d.use);
        disk.path = fixed_text(d.path);
        if (disk.path.empty()) continue;
        disk.filesystem = sources::filesystem_name(d.magic);
        disk.size = bytes(d.size);
        disk.free_last = bytes(d.free);
        disk.free_least = bytes(d.free_least);
        disk.inodes_free = known(d.inodes_free);
        all.push_back(std::move(disk));
    }
    return all;
}

}  // namespace holdfast::gatherers
