#include "record/box_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <span>

#include "base/checksum.h"
#include "base/unique_fd.h"
#include "record/box_layout.h"
#include "record/run_files.h"
#include "record/section_writer.h"

namespace holdfast {
namespace {

using layout::Shape;

Result<std::vector<std::byte>> copy_file(int fd) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return Error::from_errno("cannot stat");
    if (!S_ISREG(info.st_mode)) return Error{"not a regular file"};
    const auto size = static_cast<std::uint64_t>(std::max<off_t>(info.st_size, 0));
    if (size > box_size_limit) return Error{"larger than any black box", EFBIG};
    std::vector<std::byte> bytes(size);
    std::size_t have = 0;
    while (have < bytes.size()) {
        const ssize_t got =
            ::pread(fd, bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Error::from_errno("cannot read");
        if (got == 0) break;  // the file has shrunk
        have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
}

// Checks figures from the file without overflow.
bool fits(const format::Section& section, std::uint64_t file_size) {
    if (section.record_size == 0 || section.capacity == 0) return false;
    if (section.offset < format::header_space || section.offset > file_size) return false;
    if (section.offset % alignof(std::uint64_t) != 0) return false;
    // Limited before section_size() multiplies: 16 MiB times 4 GiB still fits 64 bits.
    if (section.capacity > box_size_limit) return false;
    return layout::section_size(section) <= file_size - section.offset;
}

}  // namespace

Result<BoxReader> BoxReader::open(int directory, const char* name, format::BoxKind kind) {
    const Result<UniqueFd> fd = open_run_file(directory, name);
    if (!fd) return fd.error();
    return from_fd(fd->get(), kind).context(name);
}

Result<BoxReader> BoxReader::from_fd(int fd, format::BoxKind kind) {
    Result<std::vector<std::byte>> bytes = copy_file(fd);
    if (!bytes) return bytes.error();
    Result<BoxReader> reader = from_bytes(std::move(*bytes), kind);
    if (!reader || kind != format::BoxKind::output) return reader;
    // The relay may have written while we copied: note how far it is now, to drop what it
    // overwrote.
    const format::Section* section = reader->find(format::SectionId::output);
    format::OutputHead head{};
    if (section != nullptr &&
        ::pread(fd, &head, sizeof(head), static_cast<off_t>(section->offset)) == sizeof(head))
        reader->taken_after_copy_ = head.taken;
    return reader;
}

Result<BoxReader> BoxReader::from_bytes(std::vector<std::byte> bytes, format::BoxKind kind) {
    BoxReader reader;
    reader.bytes_ = std::move(bytes);
    if (const Status good = reader.check_header(kind); !good) return good.error();
    return reader;
}

Status BoxReader::check_header(format::BoxKind kind) {
    if (bytes_.size() < sizeof(header_)) return Error{"truncated: the header is not whole"};
    std::memcpy(&header_, bytes_.data(), sizeof(header_));
    if (std::memcmp(header_.magic, format::magic, sizeof(format::magic)) != 0)
        return Error{"not a Holdfast black box"};
    // Checks the version before the checksum, which another version may keep elsewhere. A version
    // far beyond ours is damage.
    const std::uint32_t version = header_.version;
    if (version > format::version && version < 10'000)
        return Error{"written by a newer Holdfast (format " + std::to_string(version) +
                     "); update holdfast"};
    if (version != format::version)
        return Error{"of an unknown format (" + std::to_string(version) + ")"};
    const auto covered = std::span(bytes_).first(offsetof(format::FileHeader, checksum));
    if (crc32c(covered) != header_.checksum) return Error{"damaged: the header's checksum fails"};
    if (header_.kind != kind) return Error{"a box of another kind"};
    if (header_.section_count > std::size(header_.sections))
        return Error{"damaged: more sections than there can be"};
    // Compares sections with the size in the header, not with the file's: the complete records of a
    // truncated file are still good.
    if (header_.file_size > box_size_limit) return Error{"damaged: the size is out of range"};
    for (std::size_t i = 0; i < header_.section_count; ++i)
        if (!fits(header_.sections[i], header_.file_size))
            return Error{"damaged: a section lies outside the file"};
    return Done{};
}

const format::Section* BoxReader::find(format::SectionId id) const {
    for (std::size_t i = 0; i < header_.section_count; ++i)
        if (header_.sections[i].id == id) return &header_.sections[i];
    return nullptr;
}

// The record at `offset`, if it is complete. A slot that was never written is neither found nor
// damaged.
std::optional<BoxReader::Place> BoxReader::place_at(std::size_t slot, std::size_t offset,
                                                    std::size_t record_size) {
    format::RecordHeader header{};
    std::memcpy(&header, bytes_.data() + offset, sizeof(header));
    const auto record = std::span(bytes_).subspan(offset, record_size);
    if (header.sequence == 0) {
        const bool empty = header.checksum == 0 && header.size == 0;
        if (!empty) ++damaged_;
        return std::nullopt;
    }
    if (header.size != record_size || record_checksum(record) != header.checksum) {
        ++damaged_;
        return std::nullopt;
    }
    return Place{slot, offset, header.sequence};
}

std::vector<BoxReader::Place> BoxReader::places(format::SectionId id, std::size_t record_size) {
    std::vector<Place> found;
    const format::Section* section = find(id);
    // Within one version all records of a section have one size; another size is a forgery.
    if (section == nullptr || section->record_size != record_size ||
        record_size < sizeof(format::RecordHeader))
        return found;
    const Shape shape = layout::shape_of(id);
    const std::size_t copies = shape == Shape::table ? format::table_copies : 1;
    const std::size_t begin =
        section->offset + (shape == Shape::table ? 0 : sizeof(format::RingHead));

    for (std::size_t i = 0; i < section->capacity * copies; ++i) {
        const std::size_t offset = begin + i * record_size;
        if (offset + record_size > bytes_.size()) break;  // the file was truncated
        const std::size_t slot = i / copies;
        const std::optional<Place> place = place_at(slot, offset, record_size);
        if (!place) continue;
        if (shape == Shape::ring && (place->sequence - 1) % section->capacity != slot) {
            ++damaged_;  // a complete record, but of another slot
            continue;
        }
        if (shape == Shape::table && !found.empty() && found.back().slot == slot) {
            if (place->sequence > found.back().sequence) found.back() = *place;
            continue;
        }
        found.push_back(*place);
    }
    if (shape == Shape::table) return found;

    std::stable_sort(found.begin(), found.end(),
                     [](const Place& a, const Place& b) { return a.sequence < b.sequence; });
    // If the writer died while it thinned the history, a stretch exists twice, with equal
    // sequences: merged in the lower slots, which come first, and in its original form. Keep the
    // merged one.
    std::int64_t last = INT64_MIN;
    std::erase_if(found, [&](const Place& place) {
        if (shape != Shape::history) return false;
        const std::int64_t time = time_at(place.offset);
        const bool again = time <= last;
        last = std::max(last, time);
        return again;
    });
    return found;
}

std::int64_t BoxReader::time_at(std::size_t offset) const {
    std::int64_t time = 0;
    std::memcpy(&time, bytes_.data() + offset + offsetof(format::Sample, time), sizeof(time));
    return time;
}

OutputTail BoxReader::output() const {
    OutputTail tail;
    const format::Section* section = find(format::SectionId::output);
    if (section == nullptr || section->record_size != 1) return tail;
    const std::size_t ring_at = section->offset + sizeof(format::OutputHead);
    if (ring_at > bytes_.size()) return tail;
    format::OutputHead head{};
    std::memcpy(&head, bytes_.data() + section->offset, sizeof(head));
    tail.taken = head.taken;
    tail.delivered = std::min(head.delivered, head.taken);

    const std::uint64_t capacity = section->capacity;
    const std::uint64_t safe = capacity - std::min<std::uint64_t>(capacity, format::output_chunk);
    const std::uint64_t after = std::max(head.taken, taken_after_copy_.value_or(head.taken));
    // Older bytes may have been overwritten already.
    const std::uint64_t oldest = after > safe ? after - safe : 0;
    for (std::uint64_t n = oldest; n < head.taken; ++n) {
        const std::uint64_t at = ring_at + n % capacity;
        if (at < bytes_.size())
            tail.text += static_cast<char>(bytes_[at]);
        else
            tail.text.clear();  // a hole in a truncated file: what came before does not join on
    }
    return tail;
}

}  // namespace holdfast
