// Another process's memory, read while the process runs: its contents may be in the middle of a
// change. Needs the right to ptrace the process, which a parent has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/unique_fd.h"

namespace holdfast::sources {

class ProcessMemory {
public:
    // `process_dir`: its open directory in /proc.
    ProcessMemory(int pid, int process_dir) : pid_(pid), process_dir_(process_dir) {}

    // False if the memory is not mapped or not readable for us, or if more was read than any honest
    // process needs: a hostile one could otherwise keep us busy for ever.
    bool read(std::uintptr_t at, void* into, std::size_t size);

    // errno of the last failed read.
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
