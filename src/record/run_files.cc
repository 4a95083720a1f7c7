#include "record/run_files.h"

#include <sys/stat.h>
#include <unistd.h>

namespace holdfast {

Result<UniqueFd> open_run_file(int directory, const std::string& name, int access) {
    // O_NONBLOCK: a FIFO put in a file's place would hold us up for ever.
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
    // A group may: a run that was copied under umask 002 is still to be read.
    if ((info.st_mode & S_IWOTH) != 0)
        return Error{name + " can be written to by every user", EPERM};
    return file;
}

}  // namespace holdfast
