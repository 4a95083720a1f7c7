// The answer: how it ended, why, and on what evidence. Its JSON form is a contract (schema 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/time.h"
#include "model/statement.h"

namespace holdfast {

inline constexpr int verdict_schema = 1;  // of its JSON, and of the evidence's

enum class Outcome { finished, died, stuck, running };

struct ExitStatus {
    std::optional<int> code;
    std::optional<int> signal;
};

struct Frame {
    std::string file;
    std::optional<int> line;
    std::string function;
};

struct PythonStack {
    std::string thread;
    std::vector<Frame> frames;  // outermost first, as Python prints them
};

struct NativeFrame {
    std::string library;
    std::string symbol;
    std::uint64_t offset = 0;  // within the symbol, or else within the library
    std::string file;          // source file, if debug information has it
    std::optional<int> line;
};

struct MemorySite {
    std::string file;
    int line = 0;
    Bytes live;
    std::optional<std::int64_t> growth_per_step;
    std::optional<Bytes> error;  // two standard deviations: `live` is sampled
};

// One point of the curve: what was in use against what was allowed.
struct CurvePoint {
    Nanos time{};  // since the run's start
    Bytes used;
    std::optional<Bytes> limit;
    std::optional<Bytes> left = {};  // may still be taken, if file pages are dropped

    // Memory that is still in use when file pages are dropped.
    Bytes taken() const { return limit && left && *left <= *limit ? *limit - *left : used; }
};

struct MemorySummary {
    std::optional<Bytes> peak;
    std::optional<Bytes> limit;
    std::string limit_name;  // "container limit", "machine memory"
    std::vector<MemorySite> top_sites;
    std::vector<CurvePoint> curve;
};

struct RunSummary {
    std::string id;
    std::string name;  // --name; may be empty
    std::vector<std::string> command;
    Nanos started_wall{};
    std::optional<Nanos> ended_wall;
    std::string host;
};

struct DecidingProcess {
    int pid = 0;
    std::string role = "main";  // "main", "worker", "rank 3"
    std::string command;
};

struct Verdict {
    RunSummary run;
    Outcome outcome = Outcome::running;
    ExitStatus exit;
    DecidingProcess process;
    Statement end;
    Statement root;
    std::string choice;  // why this cause, if several matched; may be empty
    std::vector<Statement> contributing;
    std::vector<PythonStack> python_stack;
    std::vector<NativeFrame> native_stack;
    MemorySummary memory;
    std::vector<std::string> missing;
    std::vector<std::string> foretold;  // codes that `check` had found at the start
};

// "SIGKILL" for 9, "SIGRTMIN+3", or "signal 77" for a number this kernel does not name.
std::string signal_name(int number);
std::optional<int> signal_number(std::string_view name);
std::string_view name_of(Outcome outcome);
std::string_view name_of(Confidence confidence);

}  // namespace holdfast
