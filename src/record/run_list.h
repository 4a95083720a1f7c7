// The runs on this machine: listing, finding one by a word, removing old ones.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "record/run_directory.h"

namespace holdfast {

struct RunEntry {
    std::string id;
    std::string path;

    friend bool operator==(const RunEntry&, const RunEntry&) = default;
};

// Newest first. A home that cannot be read holds no runs.
std::vector<RunEntry> list_runs(const std::vector<std::string>& homes);

// "" or "last": the newest; an id; the beginning of exactly one id; a --name (the newest so named);
// a path (anything with a '/'). No such run: number ENOENT. Several begin so: number ENOTUNIQ.
Result<RunDirectory> find_run(const std::vector<std::string>& homes, std::string_view word);

struct PruneOptions {
    // So many runs that ended well, and so many others: a loop of short good ones must not push a
    // death out.
    std::size_t keep = 20;
    Bytes max_total = Bytes::gib(1);
    // A directory this young may belong to a supervisor that has not taken its lock yet.
    Nanos settle = std::chrono::seconds(5);
    Nanos now = wall_now();
};

struct Pruned {
    std::size_t removed = 0;
    Bytes freed;
    std::vector<std::string> failures;
};

// Removes the oldest runs beyond the limits. Live runs and anything that is not plainly a run
// directory of ours stay.
Pruned prune(const std::vector<std::string>& homes, const PruneOptions& options = {});

}  // namespace holdfast
