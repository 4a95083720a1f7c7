// The machine's figures at one look: memory, counters, pressure. Missing ones stay unknown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "record/format.h"
#include "sources/meminfo.h"
#include "sources/pressure.h"
#include "sources/roots.h"
#include "sources/vmstat.h"

namespace holdfast {

class HostLook {
public:
    explicit HostLook(const sources::Roots& roots);

    // Fills the host's part of a sample.
    void fill(format::Sample& sample) const;
    // What a program could still get before the machine itself runs out.
    static std::optional<Bytes> headroom(const format::Sample& sample);
    // Sources this machine does not have, in words.
    const std::vector<std::string>& missing() const { return missing_; }

private:
    std::optional<sources::MeminfoReader> meminfo_;
    std::optional<sources::VmstatReader> vmstat_;
    std::optional<sources::PressureReader> memory_pressure_, io_pressure_, cpu_pressure_;
    std::vector<std::string> missing_;
};

// A sample in which nothing is known yet.
format::Sample unseen_sample();

}  // namespace holdfast
