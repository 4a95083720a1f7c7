// What a rule says: a cause, how sure, on what evidence, and what to do about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/confidence.h"
#include "model/cause.h"

namespace holdfast {

// What an exception that nobody caught speaks of, where that ties it to a cause found elsewhere; or
// that a finding is about memory that was held, which is no news unless memory ran out; or about
// what an assertion on the GPU found.
enum class Topic { none, nonfinite_number, gpu_memory, held_memory, device_assert };

// A place in the user's own code.
struct Where {
    std::string file;
    std::optional<int> line;
    std::string function;  // may be empty
    std::string text;      // the source line, where it could be read
};

// One observation, as the source names it: {"memory.events", "oom_kill 0 -> 1"}.
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
    std::optional<Where> where;  // where it is filled, as far as one line does it
};

struct Finding {
    CauseId cause;
    Confidence confidence = Confidence::unknown;
    std::string summary;  // one sentence with the figures
    std::optional<Where> where;
    std::vector<Observation> evidence;
    std::vector<Fix> fixes;
    // The process whose end this finding explains; ranking puts an earlier end before a later one.
    std::optional<int> pid;
    Topic topic = Topic::none;
    std::optional<Keeper> keeper{};
};

}  // namespace holdfast
