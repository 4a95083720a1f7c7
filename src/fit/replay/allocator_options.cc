#include "fit/replay/allocator_options.h"

#include <algorithm>

#include "base/text.h"

namespace holdfast::fit {
namespace {

constexpr std::size_t rounding_intervals = 16;  // 1 MiB, 2 MiB, ... 32 GiB and above

// Commas inside [a:1,b:2] belong to the list.
std::vector<std::string_view> split_options(std::string_view text) {
    std::vector<std::string_view> parts;
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i == text.size() || (text[i] == ',' && depth == 0)) {
            if (i > start) parts.push_back(trim(text.substr(start, i - start)));
            start = i + 1;
        } else if (text[i] == '[') {
            ++depth;
        } else if (text[i] == ']') {
            --depth;
        }
    }
    return parts;
}

Error wrong(std::string_view option) {
    return Error{"allocator option '" + std::string(option) +
                 "' is not one that torch takes; see PYTORCH_CUDA_ALLOC_CONF in its documentation"};
}

bool is_power_of_two(unsigned value) { return value != 0 && (value & (value - 1)) == 0; }

Status read_divisions(std::string_view value, AllocatorOptions& options) {
    options.roundup_divisions.assign(rounding_intervals, 0);
    if (!value.starts_with('[')) {
        const auto all = parse_number<unsigned>(value);
        if (!all || !is_power_of_two(*all)) return wrong(value);
        std::ranges::fill(options.roundup_divisions, *all);
        return Done{};
    }
    if (!value.ends_with(']')) return wrong(value);
    std::size_t from = 0;
    for (const std::string_view pair : split(value.substr(1, value.size() - 2), ',')) {
        const auto parts = split(pair, ':');
        if (parts.size() != 2) return wrong(pair);
        const auto divisions = parse_number<unsigned>(trim(parts[1]));
        if (!divisions || !is_power_of_two(*divisions)) return wrong(pair);
        if (trim(parts[0]) == ">") {
            std::fill(options.roundup_divisions.begin() + static_cast<std::ptrdiff_t>(from),
                      options.roundup_divisions.end(), *divisions);
            continue;
        }
        const auto mib = parse_number<unsigned>(trim(parts[0]));
        if (!mib || !is_power_of_two(*mib)) return wrong(pair);
        std::size_t index = 0;
        while ((1U << index) < *mib) ++index;
        index = std::min(index, rounding_intervals - 1);
        // The first pair also holds for everything smaller.
        for (std::size_t i = from == 0 ? 0 : index; i <= index; ++i)
            options.roundup_divisions[i] = *divisions;
        from = index + 1;
    }
    return Done{};
}

}  // namespace

Result<AllocatorOptions> parse_allocator_options(std::string_view text) {
    AllocatorOptions options;
    for (const std::string_view option : split_options(text)) {
        const std::size_t colon = option.find(':');
        if (colon == std::string_view::npos) return wrong(option);
        const std::string_view name = trim(option.substr(0, colon));
        const std::string_view value = trim(option.substr(colon + 1));
        if (name == "expandable_segments") {
            if (value != "True" && value != "False") return wrong(option);
            options.expandable_segments = value == "True";
        } else if (name == "max_split_size_mb") {
            const auto mib = parse_number<std::uint64_t>(value);
            if (!mib || *mib <= 20) return wrong(option);  // torch: greater than the large segment
            options.max_split_size = Bytes::mib(*mib);
        } else if (name == "large_segment_size_mb") {
            const auto mib = parse_number<std::uint64_t>(value);
            if (!mib || *mib == 0) return wrong(option);
            options.large_segment = Bytes::mib(*mib);
        } else if (name == "garbage_collection_threshold") {
            const auto share = parse_decimal(value);
            if (!share || *share <= 0 || *share >= 1) return wrong(option);
            options.garbage_collection_threshold = *share;
        } else if (name == "roundup_power2_divisions") {
            if (const auto read = read_divisions(value, options); !read) return read.error();
        } else if (name == "backend") {
            options.other_backend = value != "native";
        }
    }
    return options;
}

}  // namespace holdfast::fit
