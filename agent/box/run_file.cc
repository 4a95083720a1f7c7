#include "agent/box/run_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/base/raw_calls.h"
#include "agent/process/own_variables.h"

namespace holdfast::agent {
namespace {

// Others who may write to a home can rearrange it: so the owner of the opened file decides.
bool is_trusted(const struct stat& facts) {
    return (facts.st_uid == 0 || facts.st_uid == ::geteuid()) &&
           (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

bool is_trusted_folder(int fd) {
    struct stat facts {};
    return ::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode) && is_trusted(facts);
}

bool is_trusted_file(int fd, std::size_t size) {
    struct stat facts {};
    return ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && is_trusted(facts) &&
           facts.st_size >= static_cast<off_t>(size);
}

}  // namespace

int open_run_file(const char* name, int flags, std::size_t size) {
    const Text run = supervised_run();
    if (run.empty()) return -1;
    const int folder = raw_open(run.data, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return -1;
    int fd = -1;
    if (is_trusted_folder(folder))
        fd = raw_openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    raw_close(folder);
    if (fd < 0 || is_trusted_file(fd, size)) return fd;
    raw_close(fd);
    return -1;
}

}  // namespace holdfast::agent
