// Pressure stall information: the share of time in which work waited for memory, disk or CPU.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "sources/live_file.h"
#include "sources/roots.h"

namespace holdfast::sources {

struct PressureStall {
    double average_10s = 0;  // percent
    double average_60s = 0;
    double average_300s = 0;
    Nanos total{};
};

struct Pressure {
    std::optional<PressureStall> some;  // at least one task waited
    std::optional<PressureStall> full;  // all tasks waited; absent for CPU before Linux 5.13
};

Result<Pressure> parse_pressure(std::string_view text);

class PressureReader {
public:
    // `resource`: "memory", "io" or "cpu". Fails where the kernel has no PSI.
    static Result<PressureReader> open(const Roots& roots, std::string_view resource);
    // The same for a cgroup (v2): `file` is "memory.pressure" and the like.
    static Result<PressureReader> open_at(int directory, const char* file);
    // EOPNOTSUPP if PSI is compiled in but switched off (psi=0).
    Result<Pressure> read() const;

private:
    explicit PressureReader(LiveFile file) : file_(std::move(file)) {}
    LiveFile file_;
};

}  // namespace holdfast::sources
