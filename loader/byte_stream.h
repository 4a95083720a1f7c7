// The bytes of one sample, read piece by piece: a file of a folder, or a member of a shard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "loader/arena.h"
#include "loader/data_file.h"
#include "loader/source.h"

namespace holdfast::loader {

class ByteStream {
public:
    ByteStream(const DataFile& file, Extent extent, PageCache cache)
        : file_(file), extent_(extent), cache_(cache) {}

    // False if the scratch has no room for a buffer.
    bool begin(Scratch& scratch) {
        const std::uint64_t room = std::min<std::uint64_t>(extent_.length + 1, buffer_bytes);
        buffer_ = {static_cast<std::byte*>(scratch.take(room)), room};
        return buffer_.data() != nullptr;
    }
    // The next piece; empty at the end, or if the file could not be read.
    std::span<const std::uint8_t> more() {
        const std::uint64_t left = extent_.length - at_;
        const std::uint64_t wanted = std::min<std::uint64_t>(left, buffer_.size());
        if (wanted == 0) return {};
        const auto got = file_.read_some(extent_.offset + at_, buffer_.first(wanted));
        if (!got || *got == 0) return {};
        if (cache_ == PageCache::drop) file_.forget(*got);
        at_ += *got;
        return {reinterpret_cast<const std::uint8_t*>(buffer_.data()),
                static_cast<std::size_t>(*got)};
    }

private:
    static constexpr std::uint64_t buffer_bytes = 128U << 10U;
    const DataFile& file_;
    Extent extent_;
    PageCache cache_;
    std::span<std::byte> buffer_;
    std::uint64_t at_ = 0;
};

}  // namespace holdfast::loader
