// HF503: no space left on a device, told by the words and the filesystem's figures.
#include <fmt/format.h>

#include "diagnose/last_text.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

bool full(const DiskEvidence& disk) {
    if (disk.inodes_free == 0U) return true;
    const std::optional<Bytes> free = disk.free_least ? disk.free_least : disk.free_last;
    if (!free) return false;
    return *free < Bytes::mib(1) || (disk.size && free->share_of(*disk.size) < 0.001);
}

// "OSError: [Errno 28] No space left on device: '/data/model.pt'"
std::string path_in(std::string_view line) {
    for (const char quote : {'\'', '"'}) {
        const std::size_t end = line.rfind(quote);
        if (end == std::string_view::npos || end == 0) continue;
        const std::size_t start = line.rfind(quote, end - 1);
        if (start == std::string_view::npos) continue;
        return std::string(line.substr(start + 1, end - start - 1));
    }
    return {};
}

bool holds(const DiskEvidence& disk, const std::string& path) {
    if (disk.path == "/") return path.starts_with("/");
    return path == disk.path || path.starts_with(disk.path + "/");
}

// The filesystem the path lies on, as far as it is among those watched: the longest that holds it.
const DiskEvidence* disk_of(const Evidence& all, const std::string& path) {
    const DiskEvidence* best = nullptr;
    for (const DiskEvidence& disk : all.disks)
        if (holds(disk, path) && (best == nullptr || disk.path.size() > best->path.size()))
            best = &disk;
    return best;
}

const DiskEvidence* full_disk(const Evidence& all, const std::string& path) {
    if (path.starts_with("/")) {
        const DiskEvidence* disk = disk_of(all, path);
        if (disk != nullptr && full(*disk)) return disk;
        return nullptr;
    }
    for (const DiskEvidence& disk : all.disks)
        if (disk.path != "/dev/shm" && full(disk)) return &disk;
    return nullptr;
}

}  // namespace

std::optional<Finding> disk_full(const Death& death) {
    std::optional<Said> said = said_last(
        death, {"No space left on device", "[Errno 28]", "Disk quota exceeded", "[Errno 122]"});
    if (!said) {
        // These writers drop the reason: torch's archive, NumPy's tofile.
        said = said_last(death, {"PytorchStreamWriter failed writing file"});
        if (!said) said = said_last(death, {" requested and "});
        if (said && said->line.find(" requested and ") != std::string::npos &&
            !said->line.ends_with(" written"))
            return std::nullopt;
        const bool limited = death.process != nullptr && death.process->limits.file_size;
        if (!said || (limited && full_disk(death.all, {}) == nullptr)) return std::nullopt;
    }
    for (const std::string_view other : {"/dev/shm", "shared memory", "</torch", "inotify"})
        if (said->line.find(other) != std::string::npos) return std::nullopt;  // not a disk's space

    const std::string path = path_in(said->line);
    const DiskEvidence* disk = full_disk(death.all, path);
    if (disk == nullptr && !said->final) return std::nullopt;  // somebody else's words, perhaps
    const bool fits =
        said->final && death.exit_known() &&
        (death.exit.signal || death.exit.code == 1 || final_exception(death) == nullptr);
    const std::string place = disk != nullptr ? disk->path : path;
    Finding finding = finding_about(
        death, "disk-full"_cause,
        disk != nullptr && fits ? Confidence::certain : Confidence::likely,
        place.empty() ? fmt::format("{} found no space left on a device.", who(death))
                      : fmt::format("{} found no space left at {}.", who(death), place));
    finding.evidence.push_back({said->source, shortened(said->line)});
    if (disk != nullptr) {
        const std::optional<Bytes> free = disk->free_least ? disk->free_least : disk->free_last;
        std::string figures = free ? human(*free) + " free" : "";
        if (free && disk->size) figures += " of " + human(*disk->size);
        if (disk->inodes_free == 0U)
            figures += figures.empty() ? "no inodes left" : ", no inodes left";
        finding.evidence.push_back({"statvfs " + disk->path, figures});
        finding.summary =
            fmt::format("{} found no space left at {} ({}{}).", who(death), disk->path,
                        disk->use.empty() ? "" : disk->use + ", ", figures);
    }
    finding.fixes.push_back({place.empty()
                                 ? "Free some space, or write elsewhere."
                                 : fmt::format("Free some space at {}, or write elsewhere.", place),
                             place.empty() ? "df -h" : "df -h " + place});
    return finding;
}

}  // namespace holdfast::rules
