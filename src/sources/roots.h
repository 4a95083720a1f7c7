// Where the kernel's files are found: "/" on a machine, a fixture tree in a test.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast::sources {

class Roots {
public:
    // `root` holds proc/, sys/, dev/ as "/" does. Fails only when it has no proc/.
    static Result<Roots> open(std::string root = "/");

    // The open directory proc/, from which readers use openat.
    int proc() const { return proc_.get(); }
    // The path of "/sys/fs/cgroup" and the like below the root.
    std::string path(std::string_view absolute) const { return prefix_ + std::string(absolute); }

private:
    Roots(std::string prefix, UniqueFd proc) : prefix_(std::move(prefix)), proc_(std::move(proc)) {}

    std::string prefix_;  // without the last '/', so "" on a machine
    UniqueFd proc_;
};

}  // namespace holdfast::sources
