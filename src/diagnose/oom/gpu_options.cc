#include "diagnose/oom/gpu_options.h"

#include <string_view>

#include "base/text.h"
#include "diagnose/death/witnesses.h"
#include "model/agent_evidence.h"

namespace holdfast {
namespace {

void read(std::string_view name, std::string_view value, TensorflowOptions& options) {
    if (name == "TF_FORCE_GPU_ALLOW_GROWTH") options.force_growth = value;
    if (name == "set_memory_growth") options.growth_called = value == "true";
}

void read(std::string_view name, std::string_view value, JaxOptions& options) {
    if (name == "XLA_PYTHON_CLIENT_PREALLOCATE") options.preallocate = value;
    if (name == "XLA_PYTHON_CLIENT_ALLOCATOR") options.allocator = value;
    if (!name.ends_with("CLIENT_MEM_FRACTION")) return;
    const auto fraction = parse_decimal(value);
    if (!fraction || !(*fraction > 0 && *fraction <= 1)) return;  // NaN neither
    options.fraction = *fraction;
    options.fraction_name = name;
}

// The lines below the framework's name.
template <class Options>
void read_all(std::string_view lines, Options& options, GpuOptions& all) {
    while (const auto line = next_line(lines)) {
        const std::size_t equals = line->find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view name = line->substr(0, equals), value = line->substr(equals + 1);
        read(name, value, options);
        if (name == "TF_GPU_ALLOCATOR") all.allocator = value;
        if (all.set.find(*line) != std::string::npos) continue;
        if (!all.set.empty()) all.set += ", ";
        all.set += *line;
    }
}

}  // namespace

GpuOptions gpu_options(const Death& death) {
    GpuOptions options;
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr) return options;
    for (const NoteEvidence& note : agent->notes) {
        if (note.kind != NoteEvidence::Kind::framework) continue;
        std::string_view lines = note.text;
        const auto framework = next_line(lines);
        if (framework == "tensorflow")
            read_all(lines, options.tensorflow.emplace(), options);
        else if (framework == "jax")
            read_all(lines, options.jax.emplace(), options);
    }
    return options;
}

}  // namespace holdfast
