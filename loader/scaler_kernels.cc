#include "loader/scaler_kernels.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace holdfast::loader {
namespace {

constexpr int kernel_bits = 14;
constexpr int kernel_half = 1 << (kernel_bits - 1);

std::uint8_t level(int sum) {
    return static_cast<std::uint8_t>(std::clamp(sum >> kernel_bits, 0, 255));
}

void plain_mix_rows(const std::uint8_t* const* rows, const std::int16_t* weight, std::uint32_t taps,
                    std::uint32_t width, std::uint8_t* out) {
    for (std::uint32_t x = 0; x < width; ++x) {
        int sum = kernel_half;
        for (std::uint32_t k = 0; k < taps; ++k) sum += weight[k] * rows[k][x];
        out[x] = level(sum);
    }
}

void plain_mix_columns(const std::uint8_t* row, const Weights& weights, std::uint32_t width,
                       std::uint32_t channels, std::uint8_t* out) {
    for (std::uint32_t x = 0; x < width; ++x) {
        const std::uint8_t* from = row + std::uint64_t{weights.first[x]} * channels;
        const std::int16_t* weight = weights.weight + std::uint64_t{x} * weights.taps;
        for (std::uint32_t c = 0; c < channels; ++c) {
            int sum = kernel_half;
            for (std::uint32_t k = 0; k < weights.taps; ++k)
                sum += weight[k] * from[k * channels + c];
            out[x * channels + c] = level(sum);
        }
    }
}

#if defined(__x86_64__)

// Asks the processor directly, because not every compiler's library has what __builtin_cpu_supports
// needs. The wide registers may be used only if the kernel saves them.
bool ask_for_avx2() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0 || (c & bit_AVX) == 0)
        return false;
    unsigned saved = 0, high = 0;
    asm volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if ((saved & 6U) != 6U) return false;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_AVX2) != 0;
}

bool has_avx2() {
    static const bool has = ask_for_avx2();
    return has;
}

int pair_of(const std::int16_t* weight) {
    return static_cast<int>(static_cast<std::uint32_t>(static_cast<std::uint16_t>(weight[0])) |
                            static_cast<std::uint32_t>(static_cast<std::uint16_t>(weight[1]))
                                << 16U);
}

// Two rows at a time: their bytes interleaved as 16-bit pairs, multiplied and added in one go.
__attribute__((target("avx2"))) void wide_mix_rows(const std::uint8_t* const* rows,
                                                   const std::int16_t* weight, std::uint32_t taps,
                                                   std::uint32_t width, std::uint8_t* out) {
    const __m256i zero = _mm256_setzero_si256();
    const __m256i half = _mm256_set1_epi32(kernel_half);
    for (std::uint32_t x = 0; x < width; x += 32) {
        // No array: compilers would keep it in memory.
        __m256i sum0 = half;
        __m256i sum1 = half;
        __m256i sum2 = half;
        __m256i sum3 = half;
        for (std::uint32_t k = 0; k < taps; k += 2) {
            const __m256i pair = _mm256_set1_epi32(pair_of(weight + k));
            const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[k] + x));
            const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows[k + 1] + x));
            const __m256i low = _mm256_unpacklo_epi8(a, b);
            const __m256i high = _mm256_unpackhi_epi8(a, b);
            sum0 = _mm256_add_epi32(sum0, _mm256_madd_epi16(_mm256_unpacklo_epi8(low, zero), pair));
            sum1 = _mm256_add_epi32(sum1, _mm256_madd_epi16(_mm256_unpackhi_epi8(low, zero), pair));
            sum2 =
                _mm256_add_epi32(sum2, _mm256_madd_epi16(_mm256_unpacklo_epi8(high, zero), pair));
            sum3 =
                _mm256_add_epi32(sum3, _mm256_madd_epi16(_mm256_unpackhi_epi8(high, zero), pair));
        }
        // Packing works within halves, like the unpacking, so the order comes out right.
        const __m256i low = _mm256_packs_epi32(_mm256_srai_epi32(sum0, kernel_bits),
                                               _mm256_srai_epi32(sum1, kernel_bits));
        const __m256i high = _mm256_packs_epi32(_mm256_srai_epi32(sum2, kernel_bits),
                                                _mm256_srai_epi32(sum3, kernel_bits));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + x), _mm256_packus_epi16(low, high));
    }
}

// Four taps of an RGB pixel at a time. Reads 16 bytes from a tap on: the row has bytes to spare.
__attribute__((target("avx2"))) void wide_mix_columns(const std::uint8_t* row,
                                                      const Weights& weights, std::uint32_t width,
                                                      std::uint8_t* out) {
    const __m256i pick = _mm256_setr_epi8(
        0, -1, 3, -1, 1, -1, 4, -1, 2, -1, 5, -1, -1, -1, -1, -1,  // taps 0 and 1: rr gg bb
        6, -1, 9, -1, 7, -1, 10, -1, 8, -1, 11, -1, -1, -1, -1, -1);
    const __m256i spread_weights = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    for (std::uint32_t x = 0; x < width; ++x) {
        const std::uint8_t* from = row + std::uint64_t{weights.first[x]} * 3;
        const std::int16_t* weight = weights.weight + std::uint64_t{x} * weights.taps;
        __m256i sum = _mm256_setzero_si256();
        for (std::uint32_t k = 0; k < weights.taps; k += 4) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + k * 3));
            const __m256i pixels = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), pick);
            const __m128i four = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(weight + k));
            const __m256i pairs =
                _mm256_permutevar8x32_epi32(_mm256_castsi128_si256(four), spread_weights);
            sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pixels, pairs));
        }
        __m128i both = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        both = _mm_srai_epi32(_mm_add_epi32(both, _mm_set1_epi32(kernel_half)), kernel_bits);
        both = _mm_packus_epi16(_mm_packs_epi32(both, both), both);
        const int four_bytes = _mm_cvtsi128_si32(both);
        // A byte too many: the next pixel overwrites it, and the row has one to spare.
        __builtin_memcpy(out + std::uint64_t{x} * 3, &four_bytes, 4);
    }
}

#endif

}  // namespace

void mix_rows(const std::uint8_t* const* rows, const std::int16_t* weight, std::uint32_t taps,
              std::uint32_t width, std::uint8_t* out) {
#if defined(__x86_64__)
    if (has_avx2()) {
        wide_mix_rows(rows, weight, taps, width, out);
        return;
    }
#endif
    plain_mix_rows(rows, weight, taps, width, out);
}

void mix_columns(const std::uint8_t* row, const Weights& weights, std::uint32_t width,
                 std::uint32_t channels, std::uint8_t* out) {
#if defined(__x86_64__)
    if (channels == 3 && has_avx2()) {
        wide_mix_columns(row, weights, width, out);
        return;
    }
#endif
    plain_mix_columns(row, weights, width, channels, out);
}

}  // namespace holdfast::loader
