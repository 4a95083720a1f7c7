// /proc/PID/mountinfo: what is mounted where.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace holdfast::sources {

struct Mount {
    int id = 0;
    std::string root;           // the mounted part of the filesystem; "/" for all of it
    std::string point;          // where it is mounted
    std::string type;           // "cgroup2", "ext4", "fuse.sshfs"
    std::string source;         // "/dev/vda", "server:/export"; may be empty
    std::string super_options;  // of the filesystem: for cgroup v1, its controllers

    bool has_super_option(std::string_view option) const;
};

// Leaves out lines that make no sense: one odd mount must not hide the others.
std::vector<Mount> parse_mountinfo(std::string_view text);
Result<std::vector<Mount>> read_mountinfo(int process_dir);

// "/a\040b" -> "/a b"
std::string unescape_octal(std::string_view text);

}  // namespace holdfast::sources
