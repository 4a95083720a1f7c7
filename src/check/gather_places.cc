// The places that a program writes to: room, rights, kind of file system; and /dev/shm, with what
// is left in it.
#include <array>

#include "base/text.h"
#include "check/gather.h"
#include "sources/mountinfo.h"

namespace holdfast::check {
namespace {

constexpr std::array network_types{
    "nfs",   "nfs4",         "cifs",          "smb3",           "smbfs",      "lustre",    "beegfs",
    "gpfs",  "ceph",         "afs",           "glusterfs",      "fuse.sshfs", "fuse.s3fs", "9p",
    "panfs", "fuse.gcsfuse", "fuse.mount-s3", "fuse.glusterfs", "wekafs"};

bool is_network(std::string_view type) {
    for (const std::string_view known : network_types)
        if (type == known) return true;
    return false;
}

bool holds(const std::string& point, std::string_view path) {
    return path.starts_with(point) &&
           (point == "/" || path.size() == point.size() || path[point.size()] == '/');
}

// If two mounts are on the same point, the later one counts.
const sources::Mount* mount_of(const std::vector<sources::Mount>& mounts, std::string_view path) {
    const sources::Mount* best = nullptr;
    for (const sources::Mount& mount : mounts)
        if (holds(mount.point, path) &&
            (best == nullptr || mount.point.size() >= best->point.size()))
            best = &mount;
    return best;
}

// "size=65536k" of a tmpfs.
std::optional<Bytes> size_option(std::string_view options) {
    while (const auto option = next_piece(options, ',')) {
        if (!option->starts_with("size=")) continue;
        std::string_view text = option->substr(5);
        unsigned shift = 0;
        if (text.ends_with('k')) shift = 10;
        if (text.ends_with('m')) shift = 20;
        if (text.ends_with('g')) shift = 30;
        if (shift != 0) text.remove_suffix(1);
        const auto number = parse_number<std::uint64_t>(text);
        if (number && *number < (1ULL << 33U)) return Bytes{*number << shift};
    }
    return std::nullopt;
}

// Names of segments that well-known libraries create and may leave behind.
bool is_segment(std::string_view name) {
    for (const std::string_view start : {"torch_", "psm_", "sem.", "nccl-", "wnsm_", "cuda.shm."})
        if (name.starts_with(start)) return true;
    return false;
}

void gather_shm(Sight& sight, Environment& environment, const std::vector<sources::Mount>& mounts) {
    SharedMemory shm;
    const sources::Mount* mount = mount_of(mounts, "/dev/shm");
    const bool own = mount != nullptr && mount->point == "/dev/shm";
    if (const auto space = sight.space("/dev/shm")) {
        shm.size = space->size;
        shm.free = space->free;
        shm.read_only = space->read_only;
        shm.file = "statvfs(/dev/shm)";
    } else if (own) {
        shm.size = size_option(mount->super_options);
        shm.read_only = mount->has_super_option("ro");
        shm.file = "/proc/self/mountinfo";
    }
    shm.missing = !sight.exists("/dev/shm") && !own;
    if (mounts.empty() && shm.missing) return;  // not the root of a whole machine
    for (const std::string& name :
         sight.list("/dev/shm", is_segment).value_or(std::vector<std::string>())) {
        const auto status = sight.status("/dev/shm/" + name);
        if (!status || shm.segments.size() >= 4096) continue;
        Segment segment{name, status->size, status->uid, {}, true};
        if (std::string_view rest = name; rest.starts_with("torch_")) {
            rest.remove_prefix(6);
            segment.maker = parse_number<int>(next_piece(rest, '_').value_or(""));
            if (segment.maker)
                segment.maker_lives = sight.exists("/proc/" + std::to_string(*segment.maker));
        }
        shm.segments.push_back(std::move(segment));
    }
    environment.shm = std::move(shm);
}

}  // namespace

void gather_places(Sight& sight, Environment& environment) {
    std::vector<sources::Mount> mounts;
    if (const auto text = sight.read("/proc/self/mountinfo"))
        mounts = sources::parse_mountinfo(*text);
    const auto add = [&](const std::string& role, const std::string& path, bool may_be_missing) {
        if (!path.starts_with('/')) return;
        for (const WorkPlace& known : environment.places)
            if (known.path == path) return;
        WorkPlace place;
        place.role = role;
        place.path = path;
        if (const sources::Mount* mount = mount_of(mounts, path)) {
            place.mount_type = mount->type;
            place.mount_point = mount->point;
            place.network = is_network(mount->type);
        }
        // Does not touch network file systems: a dead one would not answer.
        if (!place.network) {
            place.missing = !sight.exists(path);
            if (place.missing && (may_be_missing || mounts.empty())) return;
            place.space = sight.space(path);
            place.writable = sight.writable(path);
        }
        environment.places.push_back(std::move(place));
    };
    const auto variable = [&](const char* name) {
        const std::string* value = environment.variable(name);
        return value != nullptr ? *value : std::string();
    };
    add("the working directory", environment.directory, false);
    const std::string temporary = variable("TMPDIR");
    if (temporary.empty())
        add("the temporary directory", "/tmp", false);
    else
        add("TMPDIR", temporary, false);
    const std::string home = variable("HOME");
    if (!home.empty()) add("the home directory", home, true);
    for (const char* name : {"HF_HOME", "TORCH_HOME", "XDG_CACHE_HOME"})
        if (const std::string path = variable(name); !path.empty()) add(name, path, true);
    gather_shm(sight, environment, mounts);
}

}  // namespace holdfast::check
