// The boxes that a supervised run writes: of the machine, the output and the GPUs.
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

// Everything that the supervisor sees. Only one thread writes.
class MachineBox {
public:
    // Without a directory the box is only in memory, for when no disk can be written.
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

    int fd() const { return file_.fd(); }  // to read it back

private:
    MappedFile file_;
};

// The last bytes that the program wrote to a relayed stderr. The mapping is shared, so the
// supervisor reads what a forked relay writes.
class OutputBox {
public:
    static Result<OutputBox> create(const RunDirectory* directory, const BoxOrigin& origin);

    // Keeps what was just read from the program; if that is more than the ring holds, its end.
    void append(std::span<const std::byte> bytes);
    void append(std::string_view text);
    // So many more bytes were passed on.
    void delivered(std::uint64_t bytes);

    std::span<std::byte> ring();
    std::uint64_t taken_total() const;
    std::uint64_t delivered_total() const;
    // Nothing was written yet, or the last byte was a newline.
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
