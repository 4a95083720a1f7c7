// Reads a box that may be truncated, damaged, forged, or in the middle of being written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/fixed_fields.h"
#include "record/format.h"

namespace holdfast {

inline constexpr std::size_t box_size_limit = 16U << 20U;

// Turns `format::unknown` into an absent value.
inline std::optional<std::uint64_t> known(std::uint64_t value) {
    if (value == format::unknown) return std::nullopt;
    return value;
}

// A table's record and its slot: processes and events refer to cgroups by slot.
template <class T>
struct Row {
    std::size_t slot = 0;
    T record{};
};

struct OutputTail {
    std::string text;             // the last bytes, as they were
    std::uint64_t taken = 0;      // bytes the program wrote in all
    std::uint64_t delivered = 0;  // how many of them were passed on
};

class BoxReader {
public:
    // Copies the file, because a mapping of a file that shrinks is a SIGBUS, and checks the header.
    static Result<BoxReader> open(int directory, const char* name, format::BoxKind kind);
    static Result<BoxReader> from_fd(int fd, format::BoxKind kind);
    static Result<BoxReader> from_bytes(std::vector<std::byte> bytes, format::BoxKind kind);

    const format::FileHeader& header() const { return header_; }

    // The complete records of a section: oldest first for rings, by slot for tables. None if the
    // box does not have the section.
    template <class T>
    std::vector<T> records(format::SectionId id) {
        std::vector<T> found;
        for (const Row<T>& row : rows<T>(id)) found.push_back(row.record);
        return found;
    }
    template <class T>
    std::vector<Row<T>> rows(format::SectionId id) {
        static_assert(format::is_record<T>);
        std::vector<Row<T>> found;
        for (const Place& place : places(id, sizeof(T))) {
            Row<T>& row = found.emplace_back();
            row.slot = place.slot;
            std::memcpy(&row.record, bytes_.data() + place.offset, sizeof(T));
        }
        return found;
    }
    OutputTail output() const;

    bool truncated() const { return bytes_.size() < header_.file_size; }
    // How many records were skipped so far because of their checksum.
    std::size_t damaged() const { return damaged_; }

private:
    struct Place {
        std::size_t slot;
        std::size_t offset;
        std::uint64_t sequence;
    };
    BoxReader() = default;
    Status check_header(format::BoxKind kind);
    const format::Section* find(format::SectionId id) const;
    std::vector<Place> places(format::SectionId id, std::size_t record_size);
    std::optional<Place> place_at(std::size_t slot, std::size_t offset, std::size_t record_size);

    std::int64_t time_at(std::size_t offset) const;

    std::vector<std::byte> bytes_;
    format::FileHeader header_{};
    std::optional<std::uint64_t> taken_after_copy_;
    std::size_t damaged_ = 0;
};

}  // namespace holdfast
