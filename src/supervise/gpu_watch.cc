#include "supervise/gpu_watch.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "base/time.h"
#include "record/box_reader.h"
#include "record/fixed_fields.h"
#include "sources/gpu_reader.h"
#include "supervise/bystander.h"

namespace holdfast {
namespace {

constexpr std::size_t most_gpus = 16;

format::Gpu unseen_gpu() {
    format::Gpu record{};
    forget(record, &format::Gpu::total, &format::Gpu::ecc_uncorrected);
    record.clock_event_reasons_seen = 0;  // all reasons of the run or-ed
    record.utilisation = record.temperature = record.temperature_peak = ~0U;
    return record;
}

void note(const sources::GpuReading& seen, Nanos now, format::Gpu& record) {
    record.last_seen = now.count();
    record.index = static_cast<std::uint32_t>(seen.index);
    record.lost = seen.lost ? 1 : record.lost;
    set_fixed_text(record.name, seen.name);
    record.total = stored(seen.total);
    record.used = stored(seen.used);
    if (seen.used)
        record.used_peak = record.used_peak == format::unknown
                               ? record.used
                               : std::max(record.used_peak, record.used);
    record.clock_event_reasons = seen.clock_event_reasons.value_or(format::unknown);
    record.clock_event_reasons_seen |= seen.clock_event_reasons.value_or(0);
    record.ecc_uncorrected = seen.uncorrected_ecc.value_or(format::unknown);
    if (record.ecc_uncorrected_first == format::unknown)
        record.ecc_uncorrected_first = record.ecc_uncorrected;
    if (seen.utilisation_percent)
        record.utilisation = static_cast<std::uint32_t>(*seen.utilisation_percent);
    if (seen.temperature_celsius) {
        record.temperature = static_cast<std::uint32_t>(*seen.temperature_celsius);
        record.temperature_peak = record.temperature_peak == ~0U
                                      ? record.temperature
                                      : std::max(record.temperature_peak, record.temperature);
    }
    std::size_t count = 0;
    for (const sources::GpuProcess& process : seen.processes) {
        if (count + 1 >= std::size(record.processes)) break;
        record.processes[count++] = {process.pid, 0, stored(process.used)};
    }
    record.processes[count] = {};
}

[[noreturn]] void watch(GpuBox& box) {
    const auto reader = sources::make_gpu_reader();
    if (!reader->absent_because().empty()) ::_exit(0);
    std::array<format::Gpu, most_gpus> records;
    records.fill(unseen_gpu());
    for (;;) {
        const Nanos now = monotonic_now();
        for (const sources::GpuXid& event : reader->new_xids()) {
            if (event.index < 0 || static_cast<std::size_t>(event.index) >= most_gpus) continue;
            format::Gpu& record = records[static_cast<std::size_t>(event.index)];
            record.last_xid = static_cast<std::uint32_t>(event.xid);
            record.last_xid_time = now.count();
        }
        for (const sources::GpuReading& seen : reader->read()) {
            if (seen.index < 0 || static_cast<std::size_t>(seen.index) >= most_gpus) continue;
            const auto slot = static_cast<std::size_t>(seen.index);
            note(seen, now, records[slot]);
            box.gpus.put(slot, records[slot]);
        }
        ::poll(nullptr, 0, 500);
    }
}

}  // namespace

Result<std::unique_ptr<GpuWatch>> GpuWatch::start(const RunDirectory* directory,
                                                  const BoxOrigin& origin) {
    // WSL has the library, but not this device.
    if (::access("/dev/nvidiactl", F_OK) != 0 && ::access("/dev/dxg", F_OK) != 0)
        return std::unique_ptr<GpuWatch>();
    auto box = GpuBox::create(directory, origin);
    if (!box) return box.error();
    std::unique_ptr<GpuWatch> gpus(new GpuWatch(std::move(box).value()));
    const pid_t supervisor = ::getpid();
    auto child = Child::start([&]() -> int {
        end_with_parent(supervisor);
        ::setsid();
        become_bystander("holdfast-gpu", {});
        watch(gpus->box_);
    });
    if (!child) return child.error();
    gpus->child_ = std::move(child).value();
    return gpus;
}

GpuWatch::~GpuWatch() {
    child_.send(SIGKILL);
    // Wait only for a while: a process that is stuck in the driver cannot even be killed.
    for (int tries = 0; tries < 20 && child_ && !child_.wait_if_ended(); ++tries)
        ::poll(nullptr, 0, 1);
}

}  // namespace holdfast
