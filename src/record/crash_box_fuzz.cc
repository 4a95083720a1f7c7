// Any bytes as a crash box, and as each of its texts: no crash, no hang, no read out of bounds. To
// stay small, the boxes of the corpus are cut behind the head of their first record.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "record/crash_box.h"

namespace {

namespace format = holdfast::format;
using format::Crash;

void seal(std::vector<std::byte>& box) {
    if (box.size() < sizeof(format::FileHeader)) return;
    const auto kind = format::BoxKind::crash;
    std::memcpy(box.data() + offsetof(format::FileHeader, kind), &kind, sizeof(kind));
    constexpr std::size_t covered = offsetof(format::FileHeader, checksum);
    const std::uint32_t sum = holdfast::crc32c(std::span(box).first(covered));
    std::memcpy(box.data() + covered, &sum, sizeof(sum));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto input = std::as_bytes(std::span(data, size));
    static_cast<void>(holdfast::read_crashes(input));
    // Without a good checksum and kind a mutation would never get past the header.
    std::vector<std::byte> box(input.begin(), input.end());
    seal(box);
    static_cast<void>(holdfast::read_crashes(box));
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    holdfast::parse_crash_modules(text);
    holdfast::parse_crash_python(text);
    holdfast::parse_crash_threads(text);
    return 0;
}
