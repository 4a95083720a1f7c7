// A file that samples are read from, by position, by many threads at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace holdfast::loader {

// What happens to the page cache of a file behind the read position.
enum class PageCache { keep, drop };

class DataFile {
public:
    static Result<DataFile> open(const std::string& path);

    // Exactly these bytes. It is an error if the file ends earlier: it was longer when it was
    // opened.
    Status read(std::uint64_t offset, std::span<std::byte> into, PageCache cache) const;
    // As many of them as there are.
    Result<std::uint64_t> read_some(std::uint64_t offset, std::span<std::byte> into) const;
    // This many bytes were read with PageCache::drop. Every few MiB the whole file's pages are
    // dropped: a kernel with large pages keeps a page if only a part of it was named.
    void forget(std::uint64_t bytes) const;

    std::uint64_t size() const { return size_; }

private:
    UniqueFd fd_;
    std::uint64_t size_ = 0;
    mutable std::uint64_t kept_ = 0;  // bytes read since pages were dropped
};

// For a fingerprint: names and sizes, not times, which a copy changes.
std::uint64_t text_hash(std::string_view text, std::uint64_t before = 0);

}  // namespace holdfast::loader
