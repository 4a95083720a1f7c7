// HF503: no space left on a device, recognised by the message and the filesystem's figures.
#include "diagnose/death/disk_room.h"
#include "diagnose/facts/limits.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/last_text.h"

namespace holdfast::rules {
namespace {

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

// Writers that notice a short write but do not report its reason: torch's archive, NumPy's tofile,
// SQLite.
std::optional<Said> short_write(const Autopsy& death) {
    std::optional<Said> said = system_said_last(
        death, {"PytorchStreamWriter failed writing file", "basic_ios::clear: iostream error",
                "database or disk is full", "inline_container.cc", " requested and "});
    if (!said) return std::nullopt;
    const auto says = [&](std::string_view words) {
        return said->line.find(words) != std::string::npos;
    };
    // torch's reader reports errors from the same source file.
    if (says("inline_container.cc") && !says("unexpected pos")) return std::nullopt;
    if (says(" requested and ") && !said->line.ends_with(" written")) return std::nullopt;
    return said;
}

}  // namespace

std::optional<Finding> disk_full(const Autopsy& death) {
    std::optional<Said> said = system_said_last(
        death, {"No space left on device", "[Errno 28]", "Disk quota exceeded", "[Errno 122]"});
    const bool reason_dropped = !said;
    if (reason_dropped) {
        said = short_write(death);
        const bool limited = death.process != nullptr && death.process->limits.file_size;
        if (!said || (limited && full_disk(death.all, {}) == nullptr)) return std::nullopt;
    }
    const std::string path = path_in(said->line);
    if (path.starts_with("/dev/shm")) return std::nullopt;
    const std::string words = without_paths(said->line);
    for (const std::string_view other : {"shared memory", "inotify"})
        if (words.find(other) != std::string::npos) return std::nullopt;  // not a disk's space
    if (said->line.find("</torch_") != std::string::npos) return std::nullopt;  // torch's own shm
    if (path.empty() && only_shared_memory_full(death.all)) return std::nullopt;
    const DiskEvidence* disk = full_disk(death.all, path);
    if (disk == nullptr && !said->final) return std::nullopt;  // perhaps not about this end
    const bool fits = said->final && death.exit_known() &&
                      (death.exit.signal || death.exit.code == 1 || death.exception == nullptr);
    const bool tied = disk != nullptr && (is_used(*disk) || path.starts_with("/"));
    return finding_about(death, "disk-full"_cause,
                         tied && fits && !reason_dropped ? Confidence::certain : Confidence::likely,
                         facts::DiskFull{*said, disk, path});
}

}  // namespace holdfast::rules
