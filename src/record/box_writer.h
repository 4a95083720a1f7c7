// The boxes a supervised run writes: the machine's, the output's, the GPUs'.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/mapped_file.h"
#include "base/result.h"
#include "record/box_file.h"
#include "record/fixed_fields.h"
#include "record/format.h"
#include "record/run_directory.h"
#include "record/section_writer.h"

namespace holdfast {

// Everything the supervisor sees. One thread writes.
class MachineBox {
public:
    // Without a directory the box lives in memory only, for when no disk will have it.
    static Result<MachineBox> create(const RunDirectory* directory, const BoxOrigin& origin);

    RingWriter<format::Sample> samples;
    HistoryWriter history;
    TableWriter<format::Process> processes;
    TableWriter<format::Cgroup> cgroups;
    RingWriter<format::Event> events;
    TableWriter<format::Disk> disks;
    TableWriter<format::Neighbour> neighbours;
    TableWriter<format::End> end;
    TableWriter<format::Stacks> stacks;
    TableWriter<format::Stall> stalls;
    TableWriter<format::StalledProcess> stalled;

    int fd() const { return file_.fd(); }  // for reading it back

private:
    MappedFile file_;
};

// The last bytes the program wrote to a relayed stderr. The mapping is shared, so a relay forked
// off the supervisor writes where the supervisor reads.
class OutputBox {
public:
    static Result<OutputBox> create(const RunDirectory* directory, const BoxOrigin& origin);

    // Keeps what was just read from the program (of more than the ring holds, the end).
    void append(std::span<const std::byte> bytes);
    void append(std::string_view text);
    // So many bytes more have been passed on.
    void delivered(std::uint64_t bytes);

    std::span<std::byte> ring();
    std::uint64_t taken_total() const;
    std::uint64_t delivered_total() const;
    // Nothing was written yet, or a line end last.
    bool ends_a_line() const;
    int fd() const { return file_.fd(); }

private:
    format::OutputHead* head() const;

    MappedFile file_;
};

class GpuBox {
public:
    static Result<GpuBox> create(const RunDirectory* directory, const BoxOrigin& origin);

    TableWriter<format::Gpu> gpus;

    int fd() const { return file_.fd(); }

private:
    MappedFile file_;
};

}  // namespace holdfast
