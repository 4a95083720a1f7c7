// The machine's figures at one look: memory, counters, pressure. A missing figure stays unknown.
#pragma once

#include <optional>
#include <vector>

#include "base/bytes.h"
#include "base/missing_kind.h"
#include "record/format.h"
#include "sources/meminfo.h"
#include "sources/pressure.h"
#include "sources/roots.h"
#include "sources/vmstat.h"

namespace holdfast {

class HostLook {
public:
    explicit HostLook(const sources::Roots& roots);

    // Fills in the machine's part of a sample.
    void fill(format::Sample& sample) const;
    // What a program can still get before the machine itself runs out of memory.
    static std::optional<Bytes> headroom(const format::Sample& sample);
    // The sources that this machine does not have.
    const std::vector<MissingKind>& missing() const { return missing_; }

private:
    std::optional<sources::MeminfoReader> meminfo_;
    std::optional<sources::VmstatReader> vmstat_;
    std::optional<sources::PressureReader> memory_pressure_, io_pressure_, cpu_pressure_;
    std::vector<MissingKind> missing_;
};

// A sample in which every figure is unknown.
format::Sample unseen_sample();

}  // namespace holdfast
