// Where the pages of a range begin and end. Their size is an argument: it is 4 KiB, or 16 or 64 KiB
// on some arm64 kernels.
#pragma once

#include <cstdint>

namespace holdfast::agent {

struct Pages {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t page = 0;

    constexpr std::uint64_t size() const { return end - begin; }
    constexpr std::uint64_t count() const { return size() / page; }
    // The i-th of `probes` pages that are spread over all; distinct if there are as many pages.
    constexpr std::uint64_t probe(std::uint64_t i, std::uint64_t probes) const {
        return begin + count() * i / probes * page;
    }
};

// Every page that holds a byte of [begin, begin + size).
constexpr Pages pages_around(std::uint64_t begin, std::uint64_t size, std::uint64_t page) {
    return {begin / page * page, (begin + size + page - 1) / page * page, page};
}

// The pages that lie in [begin, begin + size) as a whole.
constexpr Pages pages_within(std::uint64_t begin, std::uint64_t size, std::uint64_t page) {
    const std::uint64_t first = (begin + page - 1) / page * page;
    const std::uint64_t last = (begin + size) / page * page;
    return {first, last < first ? first : last, page};
}

}  // namespace holdfast::agent
