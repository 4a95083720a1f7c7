// The capture file: what python/holdfast/planner/exchange/capture_file.py writes. docs/fit.md
// describes it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace holdfast::fit {

inline constexpr std::string_view capture_magic{"HFFIT\0", 6};
inline constexpr std::uint16_t capture_version = 1;

enum class CaptureEventKind : std::uint8_t {
    alloc = 1,
    free = 2,
    mark = 3,
    scratch = 4,
    alloc_by_fact = 5
};

// What a storage is for.
enum class StorageRole : std::uint8_t {
    activation,
    temporary,
    weight,
    gradient,
    optimizer,
    workspace,
    input,
};
inline constexpr std::uint8_t role_count = 7;

// A library call whose memory depends on the GPU and on versions. After each: its integers.
enum class Fact : std::uint8_t {
    gemm = 1,    // thread, whether cuBLASLt takes part
    conv = 2,    // see ConvCall
    reduce = 3,  // accumulator bytes, element bytes, then (extent, stride, reduced) per dimension
    embedding_backward = 4,  // indices, bytes of one
    rnn_reserve = 5,         // mode, dtype, batch, steps, input, hidden, layers, directions
    rnn_work = 6,            // 0, then as rnn_reserve
    fixed = 7,               // sizes in bytes, all alive at once
    norm_backward = 8,       // rows, columns, accumulator bytes
    sort = 9,                // elements, key bytes, value bytes
    attention_backward = 10,
};

enum class Dtype : std::uint8_t { float32, float16, bfloat16, float64 };
inline constexpr std::uint64_t dtype_bytes(Dtype dtype) {
    return dtype == Dtype::float64 ? 8 : dtype == Dtype::float32 ? 4 : 2;
}

// CRC-32 as zlib computes it: the one checksum that Python has built in.
inline std::uint32_t crc32(std::string_view bytes) {
    static constexpr auto table = [] {
        std::array<std::uint32_t, 256> entries{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t value = i;
            for (int bit = 0; bit < 8; ++bit)
                value = (value >> 1U) ^ ((value & 1U) != 0 ? 0xEDB88320U : 0U);
            entries[i] = value;
        }
        return entries;
    }();
    std::uint32_t sum = 0xFFFFFFFFU;
    for (const char byte : bytes)
        sum = (sum >> 8U) ^ table[(sum ^ static_cast<std::uint8_t>(byte)) & 0xFFU];
    return ~sum;
}

}  // namespace holdfast::fit
