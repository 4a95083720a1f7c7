#include "record/section_writer.h"

#include <algorithm>

namespace holdfast {
namespace {

constexpr std::size_t header_size = sizeof(format::RecordHeader);
constexpr std::size_t checksum_at = offsetof(format::RecordHeader, checksum);

std::uint64_t or_zero(std::uint64_t value) { return value == format::unknown ? 0 : value; }

// Which of two looks says more about memory. Keep a whole sample, never the maximum of each figure:
// that would be a moment that never existed.
bool heavier(const format::Sample& a, const format::Sample& b) {
    const std::uint64_t in_a = or_zero(a.cgroup_usage);
    const std::uint64_t in_b = or_zero(b.cgroup_usage);
    if (in_a != in_b) return in_a > in_b;
    return or_zero(a.tree_rss) > or_zero(b.tree_rss);
}

}  // namespace

std::uint32_t record_checksum(std::span<const std::byte> record) {
    constexpr std::byte zero[sizeof(std::uint32_t)] = {};
    std::uint32_t sum = crc32c(record.first(checksum_at));
    sum = crc32c(zero, sum);
    return crc32c(record.subspan(checksum_at + sizeof(zero)), sum);
}

void detail::write_record(std::byte* at, std::span<std::byte> record, std::uint64_t sequence) {
    format::RecordHeader header{};
    header.sequence = sequence;
    header.size = static_cast<std::uint32_t>(record.size());
    std::memcpy(record.data(), &header, header_size);
    header.checksum = record_checksum(record);
    std::memcpy(record.data(), &header, header_size);

    std::memcpy(at + header_size, record.data() + header_size, record.size() - header_size);
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(at, record.data(), header_size);
}

HistoryWriter::HistoryWriter(std::byte* section, std::size_t capacity)
    : head_(section), slots_(section + sizeof(format::RingHead)), capacity_(capacity) {}

void HistoryWriter::append(const format::Sample& sample) {
    if (capacity_ < 2) return;
    const bool slot_is_over = used_ == 0 || sample.time - slot_begin_ >= interval_;
    if (!slot_is_over) {
        if (heavier(sample, at(used_ - 1))) put(used_ - 1, sample, sequence_);
        return;
    }
    if (used_ == capacity_) thin();
    slot_begin_ = sample.time;
    put(used_, sample, ++sequence_);
    ++used_;
    std::atomic_ref<std::uint64_t>(reinterpret_cast<format::RingHead*>(head_)->written)
        .store(sequence_, std::memory_order_release);
}

format::Sample HistoryWriter::at(std::size_t slot) const {
    format::Sample sample{};
    std::memcpy(&sample, slots_ + slot * sizeof(sample), sizeof(sample));
    return sample;
}

void HistoryWriter::put(std::size_t slot, format::Sample sample, std::uint64_t sequence) {
    detail::write_record(slots_ + slot * sizeof(sample),
                         std::as_writable_bytes(std::span(&sample, 1)), sequence);
}

// Works upwards in place: slot i gets the pair 2i and 2i + 1 after its own content went into slot
// i/2. The merged record keeps the sequence of the pair's first record. So if the writer dies
// half-way, a reader finds at worst the same stretch twice, with equal sequences.
void HistoryWriter::thin() {
    const std::int64_t span = at(used_ - 1).time - at(0).time;
    const std::size_t pairs = used_ / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
        const format::Sample first = at(2 * i);
        const format::Sample second = at(2 * i + 1);
        put(i, heavier(second, first) ? second : first, first.header.sequence);
    }
    const std::size_t left = used_ - 2 * pairs;
    if (left != 0) {
        const format::Sample last = at(used_ - 1);
        put(pairs, last, last.header.sequence);
    }
    const std::size_t kept = pairs + left;
    for (std::size_t i = kept; i < used_; ++i)
        std::memset(slots_ + i * sizeof(format::Sample), 0, header_size);
    used_ = kept;
    // Looks may be rarer than the interval asks for: then use their real distance.
    interval_ = std::max(2 * interval_, span / static_cast<std::int64_t>(kept));
}

}  // namespace holdfast
