// The recorded runs, one line each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "present/style.h"

namespace holdfast {

struct RunRow {
    std::string id;
    std::string name;     // --name; may be empty
    std::string command;  // one line, secrets masked
    Nanos started_wall{};
    std::optional<Nanos> duration;
    std::string outcome;  // "finished", "died", ..., or "unreadable"
    std::string cause;    // slug; may be empty
    bool live = false;
    std::string directory{};  // where its record lies
};

// In the given order. Ends with a newline; a single sentence if there are no runs.
std::string runs_table(const std::vector<RunRow>& rows, const Style& style);
// {"schema": 1, "runs": [{"id", "name", "command", "started", "duration_seconds", "outcome",
// "cause", "live", "directory"}]}; absent is null.
std::string runs_json(const std::vector<RunRow>& rows);

}  // namespace holdfast
