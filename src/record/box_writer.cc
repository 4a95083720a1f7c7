#include "record/box_writer.h"

#include <algorithm>
#include <atomic>

#include "record/box_layout.h"

namespace holdfast {
namespace {

using format::SectionId;

// The boxes of a run without an agent take about 2 MiB, with the two small JSON files.
static_assert(layout::machine.size == 2'030'208);
static_assert(layout::output.size == 69'696);
static_assert(layout::gpu.size == 17'920);

template <std::size_t N>
Result<MappedFile> make_box(const RunDirectory* directory, const char* name, format::BoxKind kind,
                            const layout::BoxLayout<N>& layout, const BoxOrigin& origin) {
    return holdfast::make_box(directory, name, kind, layout.size, layout.sections, origin);
}

// A writer for one section of a new box.
template <class Writer, std::size_t N>
Writer writer(MappedFile& file, const layout::BoxLayout<N>& layout, SectionId id) {
    const format::Section& section = layout[id];
    return Writer(file.bytes().data() + section.offset, section.capacity);
}

constexpr std::size_t output_at = layout::output[SectionId::output].offset;

}  // namespace

Result<MachineBox> MachineBox::create(const RunDirectory* directory, const BoxOrigin& origin) {
    Result<MappedFile> file =
        make_box(directory, run_file::machine, format::BoxKind::machine, layout::machine, origin);
    if (!file) return file.error();
    MachineBox box;
    box.file_ = std::move(*file);
    const auto fill = [&](auto& target, SectionId id) {
        target = writer<std::remove_reference_t<decltype(target)>>(box.file_, layout::machine, id);
    };
    fill(box.samples, SectionId::samples);
    fill(box.history, SectionId::history);
    fill(box.processes, SectionId::processes);
    fill(box.cgroups, SectionId::cgroups);
    fill(box.events, SectionId::events);
    fill(box.disks, SectionId::disks);
    fill(box.neighbours, SectionId::neighbours);
    fill(box.end, SectionId::end);
    fill(box.stacks, SectionId::stacks);
    fill(box.stalls, SectionId::stalls);
    fill(box.stalled, SectionId::stalled);
    return box;
}

Result<OutputBox> OutputBox::create(const RunDirectory* directory, const BoxOrigin& origin) {
    Result<MappedFile> file =
        make_box(directory, run_file::output, format::BoxKind::output, layout::output, origin);
    if (!file) return file.error();
    OutputBox box;
    box.file_ = std::move(*file);
    return box;
}

format::OutputHead* OutputBox::head() const {
    auto* bytes = const_cast<std::byte*>(file_.bytes().data());
    return reinterpret_cast<format::OutputHead*>(bytes + output_at);
}

std::span<std::byte> OutputBox::ring() {
    return file_.bytes().subspan(output_at + sizeof(format::OutputHead), format::output_capacity);
}

void OutputBox::append(std::span<const std::byte> bytes) {
    std::atomic_ref<std::uint64_t> taken(head()->taken);
    std::uint64_t at = taken.load(std::memory_order_relaxed);
    const std::span<std::byte> room = ring();
    if (bytes.size() > room.size()) {
        at += bytes.size() - room.size();
        bytes = bytes.last(room.size());
    }
    while (!bytes.empty()) {
        const auto begin = static_cast<std::size_t>(at % room.size());
        const std::size_t count =
            std::min({bytes.size(), room.size() - begin, format::output_chunk});
        std::memcpy(room.data() + begin, bytes.data(), count);
        at += count;
        bytes = bytes.subspan(count);
        taken.store(at, std::memory_order_release);
    }
}

void OutputBox::append(std::string_view text) { append(std::as_bytes(std::span(text))); }

void OutputBox::delivered(std::uint64_t bytes) {
    std::atomic_ref<std::uint64_t>(head()->delivered).fetch_add(bytes, std::memory_order_release);
}

std::uint64_t OutputBox::taken_total() const {
    return std::atomic_ref<std::uint64_t>(head()->taken).load(std::memory_order_acquire);
}

std::uint64_t OutputBox::delivered_total() const {
    return std::atomic_ref<std::uint64_t>(head()->delivered).load(std::memory_order_acquire);
}

bool OutputBox::ends_a_line() const {
    const std::uint64_t taken = taken_total();
    if (taken == 0) return true;
    const std::byte last = file_.bytes()[output_at + sizeof(format::OutputHead) +
                                         (taken - 1) % format::output_capacity];
    return last == std::byte{'\n'};
}

Result<GpuBox> GpuBox::create(const RunDirectory* directory, const BoxOrigin& origin) {
    Result<MappedFile> file =
        make_box(directory, run_file::gpu, format::BoxKind::gpu, layout::gpu, origin);
    if (!file) return file.error();
    GpuBox box;
    box.file_ = std::move(*file);
    box.gpus = writer<TableWriter<format::Gpu>>(box.file_, layout::gpu, SectionId::gpus);
    return box;
}

}  // namespace holdfast
