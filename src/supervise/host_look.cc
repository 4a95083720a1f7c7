#include "supervise/host_look.h"

#include "record/fixed_fields.h"

namespace holdfast {
namespace {

std::uint64_t microseconds(const std::optional<sources::PressureStall>& stall) {
    if (!stall) return format::unknown;
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(stall->total).count());
}

template <class Reader>
std::optional<Reader> value_or_nothing(Result<Reader> opened) {
    if (!opened) return std::nullopt;
    return std::move(opened).value();
}

}  // namespace

format::Sample unseen_sample() {
    format::Sample sample{};
    forget(sample, &format::Sample::mem_total, &format::Sample::main_threads);
    return sample;
}

HostLook::HostLook(const sources::Roots& roots)
    : meminfo_(value_or_nothing(sources::MeminfoReader::open(roots))),
      vmstat_(value_or_nothing(sources::VmstatReader::open(roots))),
      memory_pressure_(value_or_nothing(sources::PressureReader::open(roots, "memory"))),
      io_pressure_(value_or_nothing(sources::PressureReader::open(roots, "io"))),
      cpu_pressure_(value_or_nothing(sources::PressureReader::open(roots, "cpu"))) {
    if (!meminfo_) missing_.push_back(MissingKind::meminfo);
    if (!vmstat_) missing_.push_back(MissingKind::vmstat);
    // PSI that is compiled in but switched off (psi=0) shows only when it is read.
    if (memory_pressure_ && !memory_pressure_->read()) memory_pressure_.reset();
    if (!memory_pressure_) missing_.push_back(MissingKind::pressure);
}

void HostLook::fill(format::Sample& sample) const {
    if (meminfo_) {
        if (const auto memory = meminfo_->read()) {
            sample.mem_total = stored(memory->total);
            sample.mem_available = stored(memory->available);
            sample.mem_free = stored(memory->free);
            sample.swap_total = stored(memory->swap_total);
            sample.swap_free = stored(memory->swap_free);
            sample.committed = stored(memory->committed);
            sample.commit_limit = stored(memory->commit_limit);
        }
    }
    if (vmstat_) {
        if (const auto counters = vmstat_->read()) {
            sample.vm_oom_kill = stored(counters->oom_kill);
            sample.vm_major_faults = stored(counters->major_faults);
            sample.vm_swap_in = stored(counters->swap_in_pages);
            sample.vm_swap_out = stored(counters->swap_out_pages);
        }
    }
    if (memory_pressure_) {
        if (const auto stall = memory_pressure_->read()) {
            sample.psi_memory_some_us = microseconds(stall->some);
            sample.psi_memory_full_us = microseconds(stall->full);
        }
    }
    if (io_pressure_) {
        if (const auto stall = io_pressure_->read())
            sample.psi_io_full_us = microseconds(stall->full);
    }
    if (cpu_pressure_) {
        if (const auto stall = cpu_pressure_->read())
            sample.psi_cpu_some_us = microseconds(stall->some);
    }
}

std::optional<Bytes> HostLook::headroom(const format::Sample& sample) {
    if (sample.mem_available == format::unknown) return std::nullopt;
    const Bytes swap{sample.swap_free == format::unknown ? 0 : sample.swap_free};
    return Bytes{sample.mem_available} + swap;
}

}  // namespace holdfast
