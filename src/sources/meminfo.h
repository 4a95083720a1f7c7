// /proc/meminfo: the machine's memory.
#pragma once

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

// Fails when there is not even a MemTotal.
Result<Meminfo> parse_meminfo(std::string_view text);

class MeminfoReader {
public:
    static Result<MeminfoReader> open(const Roots& roots);
    Result<Meminfo> read() const;

private:
    explicit MeminfoReader(LiveFile file) : file_(std::move(file)) {}
    LiveFile file_;
};

}  // namespace holdfast::sources
