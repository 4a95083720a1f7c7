// Any bytes as a box of any kind: no crash, no hang, no read out of bounds.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/checksum.h"
#include "record/box_reader.h"

namespace {

using holdfast::BoxReader;
namespace format = holdfast::format;

void read_everything(std::vector<std::byte> bytes, format::BoxKind kind) {
    auto reader = BoxReader::from_bytes(std::move(bytes), kind);
    if (!reader) return;
    reader->records<format::Sample>(format::SectionId::samples);
    reader->records<format::Sample>(format::SectionId::history);
    for (const auto& process : reader->records<format::Process>(format::SectionId::processes))
        holdfast::fixed_text(process.command);
    reader->records<format::Cgroup>(format::SectionId::cgroups);
    for (const auto& event : reader->records<format::Event>(format::SectionId::events))
        holdfast::event_text(event);
    reader->records<format::Disk>(format::SectionId::disks);
    reader->records<format::Neighbour>(format::SectionId::neighbours);
    reader->records<format::End>(format::SectionId::end);
    reader->records<format::Gpu>(format::SectionId::gpus);
    reader->output();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = std::as_bytes(std::span(data, size));
    std::vector<std::byte> bytes(input.begin(), input.end());
    for (const auto kind :
         {format::BoxKind::machine, format::BoxKind::output, format::BoxKind::gpu}) {
        read_everything(bytes, kind);
        if (bytes.size() < sizeof(format::FileHeader)) continue;
        // Without a good checksum and kind a mutation would never get past the header.
        std::vector<std::byte> sealed = bytes;
        std::memcpy(sealed.data() + offsetof(format::FileHeader, kind), &kind, sizeof(kind));
        constexpr std::size_t covered = offsetof(format::FileHeader, checksum);
        const std::uint32_t sum = holdfast::crc32c(std::span(sealed).first(covered));
        std::memcpy(sealed.data() + covered, &sum, sizeof(sum));
        read_everything(std::move(sealed), kind);
    }
    return 0;
}
