// HF304, HF305 and HF804 of SIGBUS: a page of a mapped file could not be had, or memory is broken.
#include <csignal>

#include "base/format.h"
#include "diagnose/crash_finding.h"
#include "diagnose/disk_room.h"
#include "diagnose/inside.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

constexpr int address_error = 2;  // BUS_ADRERR: beyond the end of the file, or it could not be read
bool hardware_error(const CrashEvidence& crash) { return crash.code == 4 || crash.code == 5; }

// Of the mapped file where it is known, else any.
const DiskEvidence* disk_without_room(const Evidence& all, const std::string& file) {
    const DiskEvidence* disk = full_disk(all, file);
    return disk != nullptr && disk->path != "/dev/shm" ? disk : nullptr;
}

}  // namespace

std::optional<Finding> bus_error(const Death& death) {
    if (!death.by(SIGBUS)) return std::nullopt;
    const CrashEvidence* crash = crash_of(death);
    if (crash != nullptr && (was_sent(*crash) || crash->in_stack_guard)) return std::nullopt;
    if (crash != nullptr && hardware_error(*crash)) {
        Finding finding = crash_finding(death, "ram-errors"_cause,
                                        "the hardware reported that this memory is broken", true);
        finding.fixes.push_back({"Test the machine's memory, and keep work off it until then.",
                                 "journalctl -k | grep -i -E 'mce|edac'"});
        return finding;
    }
    const bool page_lost = crash != nullptr && crash->code == address_error;
    const std::string file = crash != nullptr ? crash->mapped_file : std::string();
    // That some disk is full proves nothing; that the mapped file lies there does: to shrink it
    // would have made room.
    if (const DiskEvidence* disk = disk_without_room(death.all, file); disk != nullptr) {
        const bool decided = page_lost && file.starts_with('/');
        Finding finding = crash_finding(death, "disk-full-mapping"_cause,
                                        "a page of a mapped file could not be had", decided);
        if (!file.empty()) finding.evidence.push_back({"mapped file", file});
        finding.evidence.push_back({"statvfs " + disk->path, room_on(*disk)});
        finding.fixes.push_back({"Free some space in " + disk->path + ".", "df -h " + disk->path});
        return finding;
    }
    if (filled_shared_memory(death)) return std::nullopt;  // that is shm-full's
    Finding finding = crash_finding(
        death, "mapped-file-gone"_cause,
        page_lost ? "a page of a mapped file could not be had: the file became shorter, or its "
                    "disk failed"
                  : "a mapped page could not be had, most often because its file became shorter",
        false);
    // Without the code, broken memory and misaligned access look alike.
    if (!page_lost) finding.confidence = Confidence::unknown;
    if (!file.empty()) finding.evidence.push_back({"mapped file", file});
    finding.fixes.push_back(
        {"Do not change or truncate a file while a program has it mapped; write "
         "a new one and rename it.",
         {}});
    return finding;
}

}  // namespace holdfast::rules
