// Any bytes as a capture, with and without a right checksum: no crash, no hang, no read out of
// bounds.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fit/capture/capture.h"
#include "fit/capture/capture_format.h"
#include "fit/replay/anatomy.h"
#include "fit/replay/replay.h"

namespace {

using namespace holdfast::fit;

void plan(const std::string& bytes) {
    const auto capture = parse_capture(bytes);
    if (!capture || capture->events.size() > 4096) return;
    static const Workspaces workspaces(*find_device("H200"), {});
    const Program program = compile(*capture, workspaces);
    ReplayOptions options;
    for (const bool expandable : {false, true}) {
        options.allocator.expandable_segments = expandable;
        options.limit = holdfast::Bytes::gib(8);
        replay(program, options);
    }
    options.limit.reset();
    const Replayed replayed = replay(program, options);
    if (!replayed.out_of_memory) anatomy_of(*capture, program, replayed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string bytes(reinterpret_cast<const char*>(data), size);
    plan(bytes);
    constexpr std::size_t prologue = 12;
    if (bytes.size() < prologue) return 0;
    // Without a good checksum a mutation would never get past the first lines.
    bytes.replace(0, 8, std::string(capture_magic) + '\1' + '\0');
    const std::uint32_t sum = crc32(std::string_view(bytes).substr(prologue));
    for (unsigned i = 0; i < 4; ++i) bytes[8 + i] = static_cast<char>(sum >> (8 * i) & 0xFFU);
    plan(bytes);
    return 0;
}
