#include "agent/box/run_file.h"

#include <fcntl.h>
#include <limits.h>

#include <cstring>

#include "agent/process/environment.h"

namespace holdfast::agent {

int open_run_file(const char* name, int flags) {
    const Text run = supervised_run();
    char path[PATH_MAX];
    const std::size_t length = std::strlen(name);
    if (run.empty() || run.size + length + 2 > sizeof path) return -1;
    std::memcpy(path, run.data, run.size);
    path[run.size] = '/';
    std::memcpy(path + run.size + 1, name, length + 1);
    return ::open(path, flags | O_CLOEXEC | O_NOFOLLOW);
}

}  // namespace holdfast::agent
