// HF203: GPU memory that grows with every step, and the container that keeps the tensors.
#include "base/format.h"
#include "base/text.h"
#include "diagnose/growth_words.h"
#include "diagnose/inside.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

// What the program's own list, dict or set held when the GPU was full.
struct KeptTensors {
    std::string name;
    std::optional<Where> where;  // what fills it
    std::uint64_t count = 0;
    std::uint64_t graphs = 0;  // of them, with all that was computed for them
};

std::optional<KeptTensors> kept_tensors(const AgentEvidence& agent) {
    for (const NoteEvidence& note : agent.notes) {
        if (note.kind != NoteEvidence::Kind::kept_tensors || note.a <= 0 || note.b < 0) continue;
        const std::size_t first = note.text.find('\n');
        const std::size_t second = note.text.find('\n', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        KeptTensors kept;
        kept.name = note.text.substr(0, first);
        kept.count = static_cast<std::uint64_t>(note.a);
        kept.graphs = static_cast<std::uint64_t>(note.b);
        if (const auto line = parse_number<int>(std::string_view(note.text).substr(second + 1)))
            kept.where = Where{note.text.substr(first + 1, second - first - 1), *line, "", ""};
        return kept;
    }
    return std::nullopt;
}

// A graph for (nearly) every step. Batches that were put on the GPU in advance may be as many, and
// have none: a container of those is not named.
bool keeps_graphs_of_steps(const KeptTensors& kept, const StepsEvidence& steps) {
    return steps.count > 0 && kept.graphs >= steps.count - steps.count / 10;
}

Fix keep_numbers(const std::optional<KeptTensors>& kept) {
    return {formatted("Keep numbers, not tensors{}: a loss or an output that is kept keeps its "
                      "whole graph on the GPU.",
                      kept ? " in `" + kept->name + "`" : std::string()),
            "loss.item()   # or output.detach().cpu(), not the tensor itself"};
}

}  // namespace

std::optional<Finding> gpu_leak(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr || !agent->steps.gpu_growth) return std::nullopt;
    const GrowthSeen& growth = *agent->steps.gpu_growth;
    std::optional<KeptTensors> kept = kept_tensors(*agent);
    if (kept && !keeps_graphs_of_steps(*kept, agent->steps)) kept.reset();
    const std::string last = agent->steps.gpu_allocated_last
                                 ? ", to " + human(*agent->steps.gpu_allocated_last)
                                 : std::string();
    const std::string keeper =
        kept ? formatted("; `{}` keeps {} tensors", kept->name, kept->count) : std::string();
    Finding finding =
        finding_about(death, "gpu-leak"_cause, kept ? Confidence::certain : Confidence::likely,
                      formatted("Allocated GPU memory grew by {}{}, and was never given back{}.",
                                rate_of(growth), last, keeper));
    finding.evidence = {{"GPU memory allocated", figures_of(growth)}};
    if (kept) {
        finding.where = kept->where;
        finding.evidence.push_back(
            {"kept tensors", formatted("{} in `{}`, {} of them with their graphs, after {} steps",
                                       kept->count, kept->name, kept->graphs, agent->steps.count)});
    }
    finding.fixes.push_back(keep_numbers(kept));
    return finding;
}

}  // namespace holdfast::rules
