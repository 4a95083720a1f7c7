// /dev/shm: how large, how free, and what dead programs left in it.
#include "base/format.h"
#include "check/rules/file_systems.h"
#include "check/rules/rules.h"

namespace holdfast::check::rules {
namespace {

constexpr Bytes docker_default = Bytes::mib(64);
constexpr Bytes enough = Bytes::mib(256);

}  // namespace

void shm_size(const Environment& environment, CheckResult& judgement) {
    if (!environment.shm) return judgement.impossible("/dev/shm cannot be seen");
    const SharedMemory& shm = *environment.shm;
    const char* more = "docker run --shm-size=8g ... (or --ipc=host)";
    if (shm.missing || shm.read_only)
        return judgement.find(
            Severity::will_hurt, "shm-full"_cause,
            shm.missing ? "There is no /dev/shm: data-loader workers and shared "
                          "arrays cannot start."
                        : "/dev/shm is read-only: data-loader workers and shared "
                          "arrays cannot start.",
            {{shm.missing ? "/dev/shm" : shm.file, shm.missing ? "missing" : "read-only"}},
            {{"Mount a tmpfs there.", "sudo mount -t tmpfs -o size=8g tmpfs /dev/shm"}});
    if (!shm.size) return judgement.impossible("the size of /dev/shm cannot be read");
    if (*shm.size >= enough || shm.size->count == 0) return;
    judgement.find(
        Severity::will_hurt, "shm-full"_cause,
        formatted("/dev/shm has {}{}: data-loader workers die of a bus error when their batches do "
                  "not fit.",
                  human(*shm.size), *shm.size == docker_default ? ", Docker's default" : ""),
        {{shm.file, formatted("size {}", human(*shm.size))}},
        {{"Give the container more.", more},
         {"In Kubernetes, mount an emptyDir of medium Memory at /dev/shm.", ""}});
}

void shm_free(const Environment& environment, CheckResult& judgement) {
    if (!environment.shm || !environment.shm->free || !environment.shm->size)
        return judgement.impossible("the room in /dev/shm cannot be read");
    const SharedMemory& shm = *environment.shm;
    if (*shm.size < enough) return;  // the other check reports this
    if (*shm.free >= enough && shm.free->share_of(*shm.size) >= 0.02) return;
    judgement.find(Severity::will_hurt, "shm-full"_cause,
                   formatted("/dev/shm is nearly full: {} of {} are free.", human(*shm.free),
                             human(*shm.size)),
                   {{shm.file, formatted("free {}", human(*shm.free))}},
                   {{"See what is in it.", "ls -lS /dev/shm | head"}});
}

void shm_left_over(const Environment& environment, CheckResult& judgement) {
    if (!environment.shm) return judgement.impossible("/dev/shm cannot be seen");
    const SharedMemory& shm = *environment.shm;
    Bytes total;
    std::size_t count = 0;
    const Segment* largest = nullptr;
    for (const Segment& segment : shm.segments) {
        if (!segment.maker || segment.maker_lives) continue;
        total += segment.size;
        ++count;
        if (largest == nullptr || segment.size > largest->size) largest = &segment;
    }
    if (largest == nullptr || total < Bytes::mib(16)) return;
    const bool much = total.share_of(shm.size.value_or(Bytes{})) >= 0.25;
    judgement.find(much ? Severity::will_hurt : Severity::note, "shm-full"_cause,
                   formatted("{} segments of torch in /dev/shm, {} in all, belong to processes "
                             "that have ended (the largest to pid {}, user {}).",
                             count, human(total), *largest->maker, largest->uid),
                   {{"/dev/shm/" + largest->name, human(largest->size)}},
                   {{"Remove them if fuser shows that no process has them open.",
                     "fuser -v /dev/shm/torch_* ; rm /dev/shm/torch_*"}});
}

void tmpfs_room(const Environment& environment, CheckResult& judgement) {
    const auto systems = written_file_systems(environment);
    if (systems.empty())
        return judgement.impossible("the file systems of a saved machine cannot be asked");
    for (const WrittenFileSystem& system : systems) {
        const Space& space = *system.space;
        if (space.type != "tmpfs" || space.size.count == 0 || space.read_only ||
            space.free >= enough)
            continue;
        judgement.find(
            Severity::will_hurt, "shm-full"_cause,
            formatted("{} {} free, in memory (a tmpfs): a mapped array (numpy.memmap) that does "
                      "not fit ends the program with a bus error.",
                      system.who, human(space.free)),
            {{formatted("statvfs({})", system.path),
              formatted("{} free of {}, tmpfs", human(space.free), human(space.size))}},
            {{"Put mapped files on a disk, or give the tmpfs more.",
              formatted("sudo mount -o remount,size=8g $(findmnt -no TARGET -T {})",
                        system.path)}});
    }
}

}  // namespace holdfast::check::rules
