// Writes records with checksums into one section of a mapped box.
//
// The order of stores does not matter for safety: a record counts only if its checksum fits, so a
// writer that is killed anywhere leaves the old record, the new one, or one that readers skip.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/checksum.h"
#include "record/format.h"

namespace holdfast {

// The checksum that a complete record must have.
std::uint32_t record_checksum(std::span<const std::byte> record);

namespace detail {
void write_record(std::byte* at, std::span<std::byte> record, std::uint64_t sequence);
}

// A ring of `capacity` records after a RingHead.
template <class T>
class RingWriter {
public:
    static_assert(format::is_record<T>);
    RingWriter() = default;
    RingWriter(std::byte* section, std::size_t capacity)
        : head_(section), slots_(section + sizeof(format::RingHead)), capacity_(capacity) {}

    void append(T record) {
        if (capacity_ == 0) return;
        std::byte* at = slots_ + (written_ % capacity_) * sizeof(T);
        detail::write_record(at, std::as_writable_bytes(std::span(&record, 1)), written_ + 1);
        ++written_;
        std::atomic_ref<std::uint64_t>(reinterpret_cast<format::RingHead*>(head_)->written)
            .store(written_, std::memory_order_release);
    }
    std::uint64_t written() const { return written_; }
    std::size_t capacity() const { return capacity_; }

private:
    std::byte* head_ = nullptr;
    std::byte* slots_ = nullptr;
    std::size_t capacity_ = 0;
    std::uint64_t written_ = 0;
};

// A table of `capacity` slots. Each slot has two copies, and the older one is overwritten: if the
// writer is killed meanwhile (or somebody reads meanwhile), the other copy is still there.
template <class T>
class TableWriter {
public:
    static_assert(format::is_record<T>);
    TableWriter() = default;
    TableWriter(std::byte* section, std::size_t capacity) : slots_(section), capacity_(capacity) {}

    // Ignores a slot that is out of range: the black box must never crash the supervisor.
    void put(std::size_t slot, T record) {
        if (slot >= capacity_) return;
        std::byte* first = copy(slot, 0);
        std::byte* second = copy(slot, 1);
        std::byte* at = sequence_at(first) <= sequence_at(second) ? first : second;
        detail::write_record(at, std::as_writable_bytes(std::span(&record, 1)), ++written_);
    }
    void clear(std::size_t slot) {
        if (slot >= capacity_) return;
        std::byte* first = copy(slot, 0);
        std::byte* second = copy(slot, 1);
        // Clears the older copy first: in the other order the older one would be valid again in
        // between.
        if (sequence_at(first) > sequence_at(second)) std::swap(first, second);
        std::memset(first, 0, sizeof(T));
        std::atomic_signal_fence(std::memory_order_seq_cst);
        std::memset(second, 0, sizeof(T));
    }
    std::size_t capacity() const { return capacity_; }

private:
    std::byte* copy(std::size_t slot, std::size_t which) const {
        return slots_ + (slot * format::table_copies + which) * sizeof(T);
    }
    static std::uint64_t sequence_at(const std::byte* at) {
        format::RecordHeader header{};
        std::memcpy(&header, at, sizeof(header));
        return header.sequence;
    }

    std::byte* slots_ = nullptr;
    std::size_t capacity_ = 0;
    std::uint64_t written_ = 0;
};

// Samples over the whole run in a fixed number of slots. When they are full, each pair is replaced
// by the sample with more memory in use, and from then on a slot covers twice the time.
class HistoryWriter {
public:
    HistoryWriter() = default;
    HistoryWriter(std::byte* section, std::size_t capacity);

    void append(const format::Sample& sample);
    std::size_t used() const { return used_; }
    std::int64_t interval_ns() const { return interval_; }

private:
    format::Sample at(std::size_t slot) const;
    void put(std::size_t slot, format::Sample sample, std::uint64_t sequence);
    void thin();

    std::byte* head_ = nullptr;
    std::byte* slots_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t used_ = 0;
    std::uint64_t sequence_ = 0;   // of the newest slot
    std::int64_t slot_begin_ = 0;  // the time at which the newest slot began
    std::int64_t interval_ = 250'000'000;
};

}  // namespace holdfast
