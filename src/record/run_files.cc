#include "record/run_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>

#include "base/text.h"
#include "base/unique_fd.h"

namespace holdfast {

Result<UniqueFd> open_run_file(int directory, const std::string& name, int access) {
    // O_NONBLOCK: opening a FIFO would block for ever.
    UniqueFd file(
        ::openat(directory, name.c_str(), access | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
    if (!file) return Error::from_errno("cannot open " + name);
    struct stat parent {};
    struct stat info {};
    if (::fstat(directory, &parent) != 0 || ::fstat(file.get(), &info) != 0)
        return Error::from_errno("cannot examine " + name);
    if (!S_ISREG(info.st_mode)) return Error{name + " is not a regular file", EINVAL};
    if (info.st_uid != parent.st_uid && info.st_uid != 0 && info.st_uid != ::geteuid())
        return Error{name + " belongs to user " + std::to_string(info.st_uid) + ", not to the run",
                     EPERM};
    // A group may write to it: a run that was copied under umask 002 must stay readable.
    if ((info.st_mode & S_IWOTH) != 0)
        return Error{name + " can be written to by every user", EPERM};
    return file;
}

Result<std::vector<std::string>> entry_names(int directory) {
    // Opened again: a duplicate would share its reading position with the caller's descriptor.
    UniqueFd fd(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd) return Error::from_errno("cannot list directory");
    const auto close = [](DIR* stream) { ::closedir(stream); };
    const std::unique_ptr<DIR, decltype(close)> stream(::fdopendir(fd.get()), close);
    if (!stream) return Error::from_errno("cannot list directory");
    static_cast<void>(fd.release());  // now owned by the stream
    std::vector<std::string> names;
    while (const dirent* entry = ::readdir(stream.get())) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != "..") names.emplace_back(name);
    }
    return names;
}

bool has_open(dev_t device, ino_t inode) {
    const UniqueFd own(::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!own) return false;
    const Result<std::vector<std::string>> names = entry_names(own.get());
    if (!names) return false;
    for (const std::string& name : *names) {
        const auto fd = parse_number<int>(name);
        struct stat info {};
        if (fd && ::fstat(*fd, &info) == 0 && info.st_dev == device && info.st_ino == inode)
            return true;
    }
    return false;
}

}  // namespace holdfast
