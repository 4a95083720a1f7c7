// The machine's memory: /proc/meminfo, and the settings by which the kernel refuses memory although
// some is free.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"
#include "sources/live_file.h"
#include "sources/roots.h"

namespace holdfast::sources {

struct Meminfo {
    std::optional<Bytes> total, free;
    std::optional<Bytes> available;  // what a program could still get; since Linux 3.14
    std::optional<Bytes> buffers, cached, shmem, anon, slab_reclaimable;
    std::optional<Bytes> dirty, writeback;
    std::optional<Bytes> swap_total, swap_free;
    std::optional<Bytes> commit_limit, committed;
};

// An Error if there is no MemTotal.
Result<Meminfo> parse_meminfo(std::string_view text);

class MeminfoReader {
public:
    static Result<MeminfoReader> open(const Roots& roots);
    Result<Meminfo> read() const;

private:
    explicit MeminfoReader(LiveFile file) : file_(std::move(file)) {}
    LiveFile file_;
};

// The settings by which the kernel refuses memory, mappings and processes although RAM is free.
struct KernelSettings {
    std::optional<int> overcommit_memory;        // 0 heuristic, 1 always, 2 strict
    std::optional<std::uint64_t> max_map_count;  // mappings per process
    std::optional<std::uint64_t> pid_max;        // limits processes and threads by their pids
    std::optional<std::uint64_t> threads_max;    // limits them by their count
};

// A setting that cannot be read is absent.
KernelSettings read_kernel_settings(const Roots& roots);

}  // namespace holdfast::sources
