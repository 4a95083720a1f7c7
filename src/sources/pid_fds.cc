#include "sources/pid_fds.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>

#include "base/read_file.h"
#include "sources/directory.h"
#include "sources/figures.h"

namespace holdfast::sources {
namespace {

std::optional<std::string> read_link(int directory, const std::string& name) {
    std::array<char, 4096> buffer;
    const ssize_t got = ::readlinkat(directory, name.c_str(), buffer.data(), buffer.size());
    if (got <= 0 || static_cast<std::size_t>(got) == buffer.size()) return std::nullopt;
    return std::string(buffer.data(), static_cast<std::size_t>(got));
}

// Whether the name is that of a file on a disk, and not "socket:[1]", "/memfd:x", "/dev/null" or
// "/SYSV00000000".
bool names_a_file(std::string_view path) {
    if (!path.starts_with('/')) return false;
    if (path.starts_with("/dev/")) return path.starts_with("/dev/shm/");
    return !path.starts_with("/memfd:") && !path.starts_with("/proc/") &&
           !path.starts_with("/sys/") && !path.starts_with("/SYSV");
}

}  // namespace

Result<FdInfo> parse_fdinfo(std::string_view text) {
    std::optional<std::uint64_t> position;
    std::optional<unsigned> flags;
    for_each_field(text, ':', [&](const FigureField& field) {
        if (field.key == "pos") position = parse_number<std::uint64_t>(field.value);
        if (field.key == "flags") flags = parse_number<unsigned>(field.value, 8);
    });
    if (!flags) return Error{"fdinfo makes no sense", 0};
    return FdInfo{position.value_or(0), *flags};
}

std::optional<std::string> fd_target(int process_dir, int fd) {
    return read_link(process_dir, "fd/" + std::to_string(fd));
}

Result<std::uint64_t> count_open_files(int process_dir, std::uint64_t limit) {
    // Linux 6.2 and later report the count as the directory's size. A size of 0 counts as an older
    // kernel, because programs without any descriptor are rarer. Outside procfs the size means
    // nothing.
    struct statfs filesystem {};
    struct stat info {};
    if (::fstatfs(process_dir, &filesystem) == 0 && filesystem.f_type == PROC_SUPER_MAGIC &&
        ::fstatat(process_dir, "fd", &info, 0) == 0 && info.st_size > 0)
        return static_cast<std::uint64_t>(info.st_size);
    auto directory = Directory::open(process_dir, "fd");
    if (!directory) return directory.error();
    std::uint64_t count = 0;
    while (count < limit && directory->next_number()) ++count;
    return count;
}

Result<std::vector<WrittenFile>> written_files(int process_dir, std::size_t limit,
                                               std::size_t look_at) {
    auto directory = Directory::open(process_dir, "fd");
    if (!directory) return directory.error();
    std::vector<WrittenFile> files;
    for (std::size_t seen = 0; seen < look_at && files.size() < limit; ++seen) {
        const auto fd = directory->next_number();
        if (!fd) break;
        const std::string number = std::to_string(*fd);
        auto path = read_link(directory->fd(), number);
        if (!path || !names_a_file(*path)) continue;
        const auto text = read_file_at(process_dir, "fdinfo/" + number);
        if (!text) continue;
        const auto info = parse_fdinfo(*text);
        if (!info || (info->flags & O_ACCMODE) == O_RDONLY || (info->flags & O_PATH) != 0) continue;
        constexpr std::string_view gone = " (deleted)";
        const bool deleted = path->ends_with(gone);
        if (deleted) path->resize(path->size() - gone.size());
        files.push_back({*fd, std::move(*path), deleted, info->position});
    }
    return files;
}

}  // namespace holdfast::sources
