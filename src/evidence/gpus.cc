// The GPUs at the last look, and who held their memory.
#include "evidence/gatherers.h"

namespace holdfast::gatherers {
namespace {

std::optional<int> small(std::uint32_t value, std::uint32_t most) {
    if (value > most) return std::nullopt;
    return static_cast<int>(value);
}

GpuEvidence::Holder holder_of(const format::GpuProcess& p, const Evidence& so_far) {
    GpuEvidence::Holder holder;
    holder.pid = p.pid;
    holder.used = bytes(p.used);
    if (const ProcessEvidence* process = so_far.process(p.pid)) {
        holder.name = process->name;
        holder.ours = true;
        return holder;
    }
    for (const Neighbour& neighbour : so_far.neighbours)
        if (neighbour.pid == p.pid) holder.name = neighbour.name;
    return holder;
}

}  // namespace

std::vector<GpuEvidence> gpus(const RunRecord& record, const Evidence& so_far) {
    std::vector<GpuEvidence> all;
    for (const format::Gpu& g : record.gpus) {
        const auto index = small(g.index, 4096);
        if (!index) continue;
        GpuEvidence gpu;
        gpu.index = *index;
        gpu.name = fixed_text(g.name);
        gpu.total = bytes(g.total);
        gpu.used_last = bytes(g.used);
        gpu.used_peak = bytes(g.used_peak);
        gpu.utilisation_percent = small(g.utilisation, 100);
        gpu.temperature_celsius = small(g.temperature, 1000);
        gpu.clock_event_reasons = known(g.clock_event_reasons_seen);
        gpu.lost = g.lost != 0;
        for (const format::GpuProcess& p : g.processes) {
            if (p.pid == 0) break;
            if (p.pid > 0) gpu.processes.push_back(holder_of(p, so_far));
        }
        all.push_back(std::move(gpu));
    }
    return all;
}

}  // namespace holdfast::gatherers
