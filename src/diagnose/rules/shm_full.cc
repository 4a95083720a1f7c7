// HF113: /dev/shm was full, recognised by the parent's message or a SIGBUS, and by the filesystem's
// figures.
#include <csignal>

#include "diagnose/death/disk_room.h"
#include "diagnose/death/worker_end.h"
#include "diagnose/facts/memory.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/last_text.h"

namespace holdfast::rules {
namespace {

const DiskEvidence* shared_memory(const Evidence& all) {
    for (const DiskEvidence& disk : all.disks)
        if (disk.path == "/dev/shm" || disk.use == "/dev/shm") return &disk;
    return nullptr;
}

bool full(const DiskEvidence& disk) {
    const std::optional<Bytes> free = least_free(disk);
    return free && disk.size && (*free < Bytes::mib(1) || free->share_of(*disk.size) < 0.02);
}

bool roomy(const DiskEvidence& disk) {
    const std::optional<Bytes> free = least_free(disk);
    return free && disk.size && free->share_of(*disk.size) >= 0.25;
}

bool died_of_bus_error(const Autopsy& death) {
    if (death.by(SIGBUS)) return true;
    return death.fatal_child && death.fatal_child->death->by(SIGBUS);
}

// torch prints this guess for any SIGBUS of a worker: a hint, not a proof.
std::optional<Said> shm_words(const Autopsy& death) {
    std::optional<Said> said = system_said_last(
        death, {"unable to write to file </torch", "unable to allocate shared memory(shm)",
                "could not resize shared memory", "/dev/shm/", "insufficient shared memory (shm)"});
    if (said && said->line.find("/dev/shm/") != std::string::npos &&
        said->line.find("No space left") == std::string::npos)
        return std::nullopt;
    // For a plain file in /dev/shm the error names no path.
    if (!said && only_shared_memory_full(death.all))
        said = system_said_last(death, {"[Errno 28] No space left on device"});
    if (said || !death.decides || !death.all.stderr_seen || !death.failed()) return said;
    // In a chained traceback torch's guess is above the last exception.
    if (death.exception != nullptr && died_of_bus_error(death))
        for (const std::string_view line : last_lines(death.all.stderr_tail, 60))
            if (line.find("insufficient shared memory (shm)") != std::string_view::npos)
                return Said{std::string(line), true, "stderr"};
    return said;
}

}  // namespace

std::optional<Finding> shm_full(const Autopsy& death) {
    const DiskEvidence* shm = shared_memory(death.all);
    const std::optional<Said> said = shm_words(death);
    const bool bus_error = died_of_bus_error(death);
    if (!said && !bus_error) return std::nullopt;
    const bool by_itself = filled_shared_memory(death);
    const bool was_full = shm != nullptr && full(*shm);
    // A single request larger than all of /dev/shm leaves it empty, but the error itself says what
    // happened.
    const bool refused = said && said->line.find("No space left on device") != std::string::npos;
    // torch's words for shared memory that could not be written or allocated. The errno text that
    // they quote may be an older one: posix_fallocate() sets none.
    const auto says = [&](std::string_view words) {
        return said && said->line.find(words) != std::string::npos;
    };
    const bool torch_failed = says("unable to write to file </torch") ||
                              says("unable to allocate shared memory(shm) for file </torch");
    if (shm != nullptr && roomy(*shm) && !refused && !torch_failed && !by_itself)
        return std::nullopt;                                    // not the reason
    if (!was_full && !said && !by_itself) return std::nullopt;  // SIGBUS has many other causes

    const bool decided = (was_full || refused) && said && said->final;
    return finding_about(death, "shm-full"_cause,
                         decided ? Confidence::certain : Confidence::likely,
                         facts::ShmFull{shm, said, was_full, by_itself});
}

}  // namespace holdfast::rules
