// HF304, HF305 and HF804 of SIGBUS: the kernel could not provide a page of a mapped file, or memory
// is broken.
#include <csignal>

#include "diagnose/death/disk_room.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/facts/crash.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {
namespace {

constexpr int address_error = 2;  // BUS_ADRERR: beyond the end of the file, or it could not be read
bool hardware_error(const CrashEvidence& crash) { return crash.code == 4 || crash.code == 5; }

// The disk of the mapped file if that is known, else any full disk.
const DiskEvidence* disk_without_room(const Evidence& all, const std::string& file) {
    const DiskEvidence* disk = full_disk(all, file);
    return disk != nullptr && disk->path != "/dev/shm" ? disk : nullptr;
}

}  // namespace

std::optional<Finding> bus_error(const Autopsy& death) {
    if (!death.by(SIGBUS)) return std::nullopt;
    const CrashEvidence* crash = death.crash;
    if (crash != nullptr && (was_sent(*crash) || crash->in_stack_guard)) return std::nullopt;
    if (crash != nullptr && hardware_error(*crash))
        return finding_about(death, "ram-errors"_cause, sure_of_crash(death, true),
                             facts::RamErrors{});
    const bool page_lost = crash != nullptr && crash->code == address_error;
    const std::string file = crash != nullptr ? crash->mapped_file : std::string();
    // A full disk alone proves nothing. A mapped file on it does: had the file been cut short, that
    // would have freed space.
    if (const DiskEvidence* disk = disk_without_room(death.all, file); disk != nullptr) {
        const bool decided = page_lost && file.starts_with('/');
        return finding_about(death, "disk-full-mapping"_cause, sure_of_crash(death, decided),
                             facts::DiskFullMapping{disk});
    }
    if (filled_shared_memory(death)) return std::nullopt;  // shm-full's case
    // Without the code, broken memory and misaligned access look alike.
    return finding_about(death, "mapped-file-gone"_cause,
                         page_lost ? sure_of_crash(death, false) : Confidence::unknown,
                         facts::MappedFileGone{page_lost});
}

}  // namespace holdfast::rules
