// Another process's memory: read while it runs, so the contents may be half changed. Needs the
// right to ptrace it, which a parent has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/unique_fd.h"

namespace holdfast::sources {

class ProcessMemory {
public:
    // `process_dir`: its directory in /proc, open.
    ProcessMemory(int pid, int process_dir) : pid_(pid), process_dir_(process_dir) {}

    // False: not mapped, not ours to read, or more was read than any honest process needs; a
    // hostile one could otherwise keep us busy for ever.
    bool read(std::uintptr_t at, void* into, std::size_t size);

    // errno of the last read that failed.
    int error() const { return error_; }

private:
    bool read_file(std::uintptr_t at, void* into, std::size_t size);

    int pid_;
    int process_dir_;
    int error_ = 0;
    UniqueFd file_;  // /proc/PID/mem, where process_vm_readv is forbidden
    std::size_t reads_left_ = 50'000;
};

}  // namespace holdfast::sources
