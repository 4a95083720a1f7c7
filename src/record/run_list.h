// The runs on this machine: lists them, finds one by a word, removes old ones.
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

// Newest first. An unreadable home holds no runs.
std::vector<RunEntry> list_runs(const std::vector<std::string>& homes);

// "" or "last": the newest; an id; the beginning of a single id; a --name (the newest run of that
// name); a path (anything with a '/'). Error numbers: ENOENT for no such run, ENOTUNIQ if several
// ids begin like this.
Result<RunDirectory> find_run(const std::vector<std::string>& homes, std::string_view word);

struct PruneOptions {
    // How many runs to keep that ended well, and how many others: a loop of short successful runs
    // must not push out a death.
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

// Removes the oldest runs beyond the limits. Keeps live runs, and anything that is not clearly our
// run directory.
Pruned prune(const std::vector<std::string>& homes, const PruneOptions& options = {});

}  // namespace holdfast
