#include "supervise/loss_record.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <span>

#include "record/box_layout.h"
#include "record/section_writer.h"

namespace holdfast {

using format::SectionId;

std::optional<LossRecord> LossRecord::open(int box) {
    struct stat file {};
    constexpr std::size_t size = layout::machine.size;
    // Check the size first: if somebody cut the file, a store beyond its end would be a SIGBUS.
    if (box < 0 || ::fstat(box, &file) != 0 || static_cast<std::size_t>(file.st_size) < size)
        return std::nullopt;
    void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, box, 0);
    if (at == MAP_FAILED) return std::nullopt;
    return LossRecord(static_cast<std::byte*>(at));
}

bool LossRecord::has_end() const {
    const format::Section& section = layout::machine[SectionId::end];
    for (std::size_t copy = 0; copy < format::table_copies; ++copy) {
        format::RecordHeader header{};
        std::memcpy(&header, box_ + section.offset + copy * section.record_size, sizeof header);
        if (header.sequence != 0) return true;
    }
    return false;
}

// Not a RingWriter: it counts its own records, and does not know what the supervisor has written.
void LossRecord::supervisor_lost(Nanos now, LossReason reason, bool passed_on) {
    const format::Section& section = layout::machine[SectionId::events];
    std::byte* const ring = box_ + section.offset;
    const std::atomic_ref<std::uint64_t> written(
        reinterpret_cast<format::RingHead*>(ring)->written);
    const std::uint64_t before = written.load();
    format::Event event{};
    event.time = now.count();
    event.kind = format::EventKind::supervisor_lost;
    event.a = static_cast<std::int64_t>(reason);
    event.b = passed_on ? 1 : 0;
    std::byte* const slot =
        ring + sizeof(format::RingHead) + (before % section.capacity) * section.record_size;
    detail::write_record(slot, std::as_writable_bytes(std::span(&event, 1)), before + 1);
    written.store(before + 1);
}

void LossRecord::program_ended(Nanos now, Nanos now_wall, std::optional<int> wait_status) {
    const format::Section& section = layout::machine[SectionId::end];
    format::End end{};
    end.time = now.count();
    end.time_wall = now_wall.count();
    end.wait_status = wait_status.value_or(-1);
    TableWriter<format::End>(box_ + section.offset, section.capacity).put(0, end);
}

}  // namespace holdfast
