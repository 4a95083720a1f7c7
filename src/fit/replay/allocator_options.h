// The options of PYTORCH_CUDA_ALLOC_CONF that change the caching allocator.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace holdfast::fit {

struct AllocatorOptions {
    bool expandable_segments = false;
    std::optional<Bytes> max_split_size;
    std::optional<double> garbage_collection_threshold;
    Bytes large_segment = Bytes::mib(20);
    bool other_backend = false;  // cudaMallocAsync: not modelled

    // Rounding up to a power of two in this many divisions, by size; index i holds for sizes of
    // 2^(i + 20) bytes and more. 0: no such rounding.
    std::vector<unsigned> roundup_divisions;
};

// "max_split_size_mb:128,expandable_segments:True", as torch reads it. Options that do not change
// sizes are skipped; what torch would refuse is an Error.
Result<AllocatorOptions> parse_allocator_options(std::string_view text);

}  // namespace holdfast::fit
