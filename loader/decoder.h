// JPEG and PNG, decoded row by row. All memory they need is scratch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "loader/byte_stream.h"
#include "loader/scaler.h"

namespace holdfast::loader {

// The receiver of an image's rows, and what it learns before them.
class RowTaker {
public:
    virtual ~RowTaker() = default;
    // 1, 2, 4 or 8: JPEG is decoded at this fraction of its size.
    virtual unsigned denominator(ImageSize full) = 0;
    // False: no room, or the size is wrong.
    virtual bool begin(ImageSize size, Scratch& scratch) = 0;
    virtual std::uint8_t* next_row() = 0;
    // False: the rest is not wanted.
    virtual bool row_done() = 0;
};

struct BadImage {
    std::string text;
    bool wants_room = false;
};

// `channels` is 3 or 1. Returns nothing if the taker has got the image.
std::optional<BadImage> decode_image(ByteStream& stream, Scratch& scratch, std::uint32_t channels,
                                     RowTaker& taker);
std::optional<BadImage> decode_jpeg(std::span<const std::uint8_t> front, ByteStream& stream,
                                    Scratch& scratch, std::uint32_t channels, RowTaker& taker);
std::optional<BadImage> decode_png(std::span<const std::uint8_t> front, ByteStream& stream,
                                   Scratch& scratch, std::uint32_t channels, RowTaker& taker);
// False: built without the libraries for it.
bool has_codecs();

}  // namespace holdfast::loader
