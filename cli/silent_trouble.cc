#include "silent_trouble.h"

#include <unistd.h>

#include <cmath>
#include <csignal>
#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/child.h"
#include "base/format.h"
#include "diagnose/oom/keeper.h"
#include "judge/judge.h"
#include "jupyter/cell_names.h"
#include "model/agent_evidence.h"
#include "model/own_code.h"
#include "present/style.h"
#include "present/wrap.h"
#include "say.h"

namespace holdfast::cli {
namespace {

constexpr double standard_errors = 3;

// As sure as a `certain` verdict, and far beyond the error of measurement.
bool is_certain(const LeakEvidence& leak) {
    const GrowthSeen& growth = leak.growth;
    return surely_leaks(leak) &&
           *growth.per_step > standard_errors * growth.per_step_error.value_or(0);
}

const AgentEvidence* certain_leak(const Evidence& evidence) {
    const AgentEvidence* largest = nullptr;
    for (const AgentEvidence& agent : evidence.agents) {
        if (!agent.leak || agent.ended || !is_certain(*agent.leak)) continue;
        if (largest == nullptr || agent.leak->growth.in_all > largest->leak->growth.in_all)
            largest = &agent;
    }
    return largest;
}

// A buffer that fills looks like a leak until it is full, and most buffers fit well into memory.
bool is_half_full(const MemorySummary& memory) {
    return memory.limit && !memory.curve.empty() &&
           memory.curve.back().taken().share_of(*memory.limit) >= 0.5;
}

std::optional<std::string> words_about(const RunRecord& record, Nanos fills_in) {
    const Evidence evidence = evidence_of(record);
    const AgentEvidence* agent = certain_leak(evidence);
    if (agent == nullptr) return std::nullopt;
    const LeakEvidence& leak = *agent->leak;
    if (!is_half_full(evidence.memory)) return std::nullopt;
    // The leak must explain the growth: the program may be loading something else next to a small
    // leak.
    const double full_in = static_cast<double>(fills_in.count()) / 6e10;  // minutes
    if (leak.growth.per_minute * full_in < 0.1 * static_cast<double>(evidence.memory.limit->count))
        return std::nullopt;
    const Frame* frame = innermost_own_frame(leak.frames);
    if (frame == nullptr || !frame->line) return std::nullopt;
    std::vector<MemorySite> place(1);
    place[0].file = frame->file;
    place[0].line = *frame->line;
    if (record.cells) name_cells(place, *record.cells);
    const bool in_cell = place[0].file != frame->file;
    const std::string where = in_cell ? formatted("{}, line {}", place[0].file, place[0].line)
                                      : formatted("{}:{}", place[0].file, place[0].line);
    std::string kept;
    if (const KeeperEvidence* keeper = keeper_seen(*agent, leak.growth.in_all))
        kept = formatted(", kept by `{}`", keeper->name);
    const Bytes each{static_cast<std::uint64_t>(std::llround(*leak.growth.per_step))};
    return formatted(
        "holdfast: {} keeps {} more with every step{}: memory is full in about {} at this pace "
        "(holdfast explain host-leak)",
        where, human(each), kept, human(fills_in));
}

}  // namespace

void forget_trouble(const RunDirectory& directory, const char* file) {
    (void)::unlinkat(directory.fd(), file, 0);
}

bool note_trouble(const RunDirectory& directory, const char* file, const std::string& text) {
    if (directory.has_file(file)) return false;
    return static_cast<bool>(directory.write_file(file, text));
}

Child tell_of_filling(const RunDirectory& directory, Nanos fills_in, bool mid_line) {
    const pid_t parent = ::getpid();
    auto teller = Child::start([&] {
        end_with_parent(parent);
        // A background process of a terminal must not be stopped for writing.
        ::signal(SIGTTOU, SIG_IGN);
        const auto record = settled_record(directory);
        const auto words = record ? words_about(*record, fills_in) : std::nullopt;
        if (!words) return 0;
        const std::string line =
            safe_line(*words, style_for(STDERR_FILENO, terminal_environment()));
        if (note_trouble(directory, run_file::leak_told, line))
            say((mid_line ? "\n" : "") + line + '\n');
        return 0;
    });
    return teller ? std::move(*teller) : Child();
}

}  // namespace holdfast::cli
