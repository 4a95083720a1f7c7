// What a verdict says of one cause, in words: how sure, on what evidence, and what to do about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/confidence.h"
#include "model/cause.h"

namespace holdfast {

// A place in the user's own code.
struct Where {
    std::string file;
    std::optional<int> line;
    std::string function;  // may be empty
    std::string text;      // the source line, where it could be read
};

// One observation, under the name of its source: {"memory.events", "oom_kill 0 -> 1"}.
struct Observation {
    std::string source;
    std::string text;
};

struct Fix {
    std::string text;
    std::string code;  // a snippet to copy; may be empty
};

// Who keeps memory that grows: a container that a name of the program reaches.
struct Keeper {
    std::string name;  // "self.history"
    std::string kind;  // its type
    std::uint64_t items = 0;
    std::optional<Where> where;  // the line that fills it, if only one does
};

struct Statement {
    CauseId cause = CauseId::of("clean-exit");
    Confidence confidence = Confidence::unknown;
    std::string summary;  // one sentence with the figures
    std::optional<Where> where;
    std::vector<Observation> evidence;
    std::vector<Fix> fixes;
    std::optional<Keeper> keeper;
};

}  // namespace holdfast
