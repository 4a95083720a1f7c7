#include "loader/decoder.h"

namespace holdfast::loader {

std::optional<BadImage> decode_image(ByteStream& stream, Scratch& scratch, std::uint32_t channels,
                                     RowTaker& taker) {
    if (!stream.begin(scratch)) return BadImage{"no room to read it", true};
    const std::span<const std::uint8_t> front = stream.more();
    if (front.empty()) return BadImage{"an empty file"};
    if (front.size() > 3 && front[0] == 0xff && front[1] == 0xd8)
        return decode_jpeg(front, stream, scratch, channels, taker);
    if (front.size() > 8 && front[0] == 0x89 && front[1] == 'P' && front[2] == 'N' &&
        front[3] == 'G')
        return decode_png(front, stream, scratch, channels, taker);
    return BadImage{"neither JPEG nor PNG"};
}

#if !HOLDFAST_HAVE_CODECS
namespace {
constexpr const char* no_codecs =
    "this Holdfast was built without libjpeg-turbo and zlib, so it decodes no images "
    "(Debian: libjpeg62-turbo-dev, zlib1g-dev)";
}

std::optional<BadImage> decode_jpeg(std::span<const std::uint8_t>, ByteStream&, Scratch&,
                                    std::uint32_t, RowTaker&) {
    return BadImage{no_codecs};
}
std::optional<BadImage> decode_png(std::span<const std::uint8_t>, ByteStream&, Scratch&,
                                   std::uint32_t, RowTaker&) {
    return BadImage{no_codecs};
}
#endif

bool has_codecs() { return HOLDFAST_HAVE_CODECS != 0; }

}  // namespace holdfast::loader
