// HF203: GPU memory that grows with every step, and the container that keeps the tensors.
#include "base/text.h"
#include "diagnose/facts/held_memory.h"
#include "diagnose/rules/rules.h"

namespace holdfast::rules {
namespace {

using facts::KeptTensors;

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

// A tensor with its graph for (nearly) every step. Batches put on the GPU in advance may be as
// many, but have no graph: a container of those is not named.
bool keeps_graphs_of_steps(const KeptTensors& kept, const StepsEvidence& steps) {
    return steps.count > 0 && kept.graphs >= steps.count - steps.count / 10;
}

}  // namespace

std::optional<Finding> gpu_leak(const Autopsy& death) {
    const AgentEvidence* agent = death.agent;
    if (agent == nullptr || !agent->steps.gpu_growth) return std::nullopt;
    std::optional<KeptTensors> kept = kept_tensors(*agent);
    if (kept && !keeps_graphs_of_steps(*kept, agent->steps)) kept.reset();
    Finding finding =
        finding_about(death, "gpu-leak"_cause, kept ? Confidence::certain : Confidence::likely,
                      facts::GpuLeak{agent, kept});
    if (kept) finding.where = kept->where;
    return finding;
}

}  // namespace holdfast::rules
