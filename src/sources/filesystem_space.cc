#include "sources/filesystem_space.h"

#include <sys/statfs.h>

#include <cstring>
#include <limits>
#include <string_view>

#include "base/format.h"

namespace holdfast::sources {
namespace {

struct Kind {
    std::uint64_t magic;
    std::string_view name;
};

constexpr Kind kinds[] = {
    {0xef53, "ext4"},  // also ext2 and ext3, which have the same number
    {0x58465342, "xfs"},      {0x9123683e, "btrfs"},
    {0x2fc12fc1, "zfs"},      {0xf2f52010, "f2fs"},
    {0xca451a4e, "bcachefs"}, {0x01021994, "tmpfs"},
    {0x858458f6, "ramfs"},    {0x794c7630, "overlay"},
    {0x61756673, "aufs"},     {0x73717368, "squashfs"},
    {0xe0f5e1e2, "erofs"},    {0x4d44, "vfat"},
    {0x2011bab0, "exfat"},    {0x5346544e, "ntfs"},
    {0x7366746e, "ntfs3"},    {0x958458f6, "hugetlbfs"},
    {0x9fa0, "proc"},         {0x62656572, "sysfs"},
    {0x63677270, "cgroup2"},  {0x6969, "nfs"},
    {0xff534d42, "cifs"},     {0xfe534d42, "smb2"},
    {0x517b, "smb"},          {0x00c36400, "ceph"},
    {0x0bd00bd0, "lustre"},   {0x47504653, "gpfs"},
    {0x19830326, "beegfs"},   {0x5346414f, "afs"},
    {0x6b414653, "kafs"},     {0x01021997, "9p"},  // WSL's /mnt/c, and many virtual machines
    {0x65735546, "fuse"},     {0x6a656a63, "virtiofs"},
};

const Kind* kind_of(std::uint64_t magic) {
    for (const Kind& kind : kinds)
        if (kind.magic == magic) return &kind;
    return nullptr;
}

Bytes blocks(std::uint64_t count, std::uint64_t size) {
    if (size != 0 && count > std::numeric_limits<std::uint64_t>::max() / size)
        return {std::numeric_limits<std::uint64_t>::max()};
    return {count * size};
}

}  // namespace

std::string filesystem_name(std::uint64_t magic) {
    const Kind* kind = kind_of(magic);
    return kind != nullptr ? std::string(kind->name) : formatted("{:#x}", magic);
}

Result<FilesystemSpace> read_filesystem_space(const std::string& path) {
    struct statfs info {};
    if (::statfs(path.c_str(), &info) != 0) return Error::from_errno("cannot ask about " + path);
    FilesystemSpace space;
    // f_type is signed and was 32 bits wide once: CIFS and others come negative on some machines.
    space.magic = static_cast<std::uint64_t>(info.f_type) & 0xffffffffU;
    space.type = filesystem_name(space.magic);
    static_assert(sizeof(info.f_fsid) == sizeof(space.id));
    std::memcpy(&space.id, &info.f_fsid, sizeof(space.id));
    const auto size = static_cast<std::uint64_t>(info.f_frsize != 0 ? info.f_frsize : info.f_bsize);
    space.size = blocks(info.f_blocks, size);
    space.free = blocks(info.f_bavail, size);
    if (info.f_files != 0) {
        space.inodes = info.f_files;
        space.inodes_free = info.f_ffree;
    }
    return space;
}

}  // namespace holdfast::sources
