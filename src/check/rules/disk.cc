// Where the program writes: room, inodes, rights, kind of file system, health.
#include "base/format.h"
#include "check/rules/file_systems.h"
#include "check/rules/rules.h"

namespace holdfast::check::rules {
namespace {

constexpr Bytes little_room = Bytes::gib(1);
constexpr std::uint64_t few_inodes = 10'000;
constexpr const char* no_answer = "the file systems of a saved machine cannot be asked";

template <class Look>
void for_each_place(const Environment& environment, CheckResult& judgement, Look look) {
    if (environment.places.empty()) return judgement.impossible("no folder to write to is known");
    bool any = false;
    for (const WorkPlace& place : environment.places) any = look(place) || any;
    if (!any) judgement.impossible(no_answer);
}

}  // namespace

void disk_space(const Environment& environment, CheckResult& judgement) {
    const auto systems = written_file_systems(environment);
    if (systems.empty()) return judgement.impossible(no_answer);
    for (const WrittenFileSystem& system : systems) {
        const Space& space = *system.space;
        // Some file systems, such as overlays, report no size of their own (0).
        if (space.size.count == 0 || space.read_only || space.free >= little_room) continue;
        // A small file system that is nearly empty may be meant to be small, but not the one that
        // checkpoints go to.
        const bool meant = space.size < little_room && space.free.share_of(space.size) > 0.5 &&
                           (!system.worked_in || space.free >= Bytes::mib(256));
        judgement.find(
            meant ? Severity::note : Severity::will_hurt, "disk-full"_cause,
            formatted("{} {} free of {}: a checkpoint that does not fit is cut off.", system.who,
                      human(space.free), human(space.size)),
            {{formatted("statvfs({})", system.path),
              formatted("{} free of {}, {}", human(space.free), human(space.size), space.type)}},
            {{"Make room, or write elsewhere.",
              formatted("du -xh --max-depth=2 {} | sort -h | tail", system.path)}});
    }
}

void disk_inodes(const Environment& environment, CheckResult& judgement) {
    const auto systems = written_file_systems(environment);
    if (systems.empty()) return judgement.impossible(no_answer);
    for (const WrittenFileSystem& system : systems) {
        const auto total = system.space->inodes;
        const auto free = system.space->inodes_free;
        if (!total || !free || *total < few_inodes || *free >= few_inodes ||
            system.space->read_only)
            continue;
        judgement.find(
            Severity::will_hurt, "disk-full"_cause,
            formatted("{} room for only {} more files, of {}.", system.who, *free, *total),
            {{formatted("statvfs({})", system.path),
              formatted("{} inodes free of {}", *free, *total)}},
            {{"Remove small files; caches have most of them.",
              formatted("du --inodes -xd2 {} | sort -n | tail", system.path)}});
    }
}

void disk_writable(const Environment& environment, CheckResult& judgement) {
    for_each_place(environment, judgement, [&](const WorkPlace& place) {
        if (place.missing) {
            judgement.find(Severity::will_hurt, "not-writable"_cause,
                           formatted("{} does not exist.", named(place)), {{place.path, "missing"}},
                           {{"Create it.", formatted("mkdir -p {}", place.path)}});
            return true;
        }
        if (!place.writable && !place.space) return false;
        const bool read_only = place.space && place.space->read_only;
        if (!read_only && place.writable.value_or(true)) return true;
        judgement.find(Severity::will_hurt, "not-writable"_cause,
                       formatted("{} cannot be written to: {}.", named(place),
                                 read_only ? "its file system is mounted read-only"
                                           : "this user has no right to"),
                       {{place.path, read_only ? "read-only" : "no right to write"}},
                       {{"Work where you may write.",
                         place.role == "TMPDIR" || place.role == "the temporary directory"
                             ? "export TMPDIR=$HOME/tmp"
                             : "cd ~"}});
        return true;
    });
}

void disk_network(const Environment& environment, CheckResult& judgement) {
    for_each_place(environment, judgement, [&](const WorkPlace& place) {
        if (place.mount_type.empty()) return place.space.has_value();
        if (!place.network) return true;
        judgement.find(Severity::note, "io-stall"_cause,
                       formatted("{} is on a network file system ({}): when it stalls, so does the "
                                 "program, and many small files are slow.",
                                 named(place), place.mount_type),
                       {{"/proc/self/mountinfo", place.mount_type}},
                       {{"Copy the data to a local disk first.", "rsync -a data/ /tmp/data/"}});
        return true;
    });
}

void disk_health(const Environment& environment, CheckResult& judgement) {
    const HostHealth& health = environment.health;
    if (!health.disks_seen && !environment.log)
        return judgement.impossible("neither ext4 nor the kernel log reports disk errors");
    for (const Read<std::uint64_t>& count : health.disk_errors)
        if (count.value > 0)
            judgement.find(
                Severity::will_hurt, "disk-errors"_cause,
                formatted("A file system has recorded {} errors of its disk.", count.value),
                {{count.file, formatted("{}", count.value)}},
                {{"Copy what matters, then check the disk.", "sudo dmesg | grep -i ext4"}});
    for (const Read<std::uint64_t>& count : health.degraded)
        if (count.value > 0)
            judgement.find(Severity::note, "disk-errors"_cause,
                           formatted("A RAID runs without {} of its disks.", count.value),
                           {{count.file, formatted("{}", count.value)}},
                           {{"Replace the disk.", "cat /proc/mdstat"}});
    std::size_t lines = 0;
    std::string device;
    for (const std::string& line : environment.log.value_or(std::vector<std::string>()))
        if (line.starts_with("io ") && ++lines == 1) device = line.substr(3);
    if (lines > 0)
        judgement.find(
            Severity::will_hurt, "disk-errors"_cause,
            formatted("The kernel reported {} I/O errors since the machine started, the "
                      "first of {}.",
                      lines, device.empty() ? "a disk" : device),
            {{"kernel log", "I/O error " + device}},
            {{"Copy what matters, then check the disk.", "sudo smartctl -a /dev/" + device}});
}

}  // namespace holdfast::check::rules
