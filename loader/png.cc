// PNG: our own reader of its chunks and filters over zlib's inflate, whose memory is scratch too.
#if HOLDFAST_HAVE_CODECS

#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "loader/decoder.h"

namespace holdfast::loader {
namespace {

struct PngHeader {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    unsigned depth = 0;
    unsigned color = 0;  // 0 grey, 2 RGB, 3 palette, 4 grey + alpha, 6 RGB + alpha
    bool interlaced = false;
    unsigned samples() const { return color == 2 ? 3 : color == 4 ? 2 : color == 6 ? 4 : 1; }
    std::uint64_t row_bytes(std::uint32_t pixels) const {
        return (std::uint64_t{pixels} * samples() * depth + 7) / 8;
    }
    bool good() const {
        if (width == 0 || height == 0 || width > 1U << 24U || height > 1U << 24U) return false;
        if (color == 0) return depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16;
        if (color == 3) return depth == 1 || depth == 2 || depth == 4 || depth == 8;
        return (color == 2 || color == 4 || color == 6) && (depth == 8 || depth == 16);
    }
};

class PngReader {
public:
    PngReader(std::span<const std::uint8_t> front, ByteStream& stream, Scratch& scratch)
        : piece_(front), stream_(stream), scratch_(scratch) {}
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;
    ~PngReader() {
        if (inflating_) inflateEnd(&z_);
    }

    // All chunks up to the image's data.
    const char* head(PngHeader& header) {
        std::uint8_t begin[8];
        if (!bytes(begin, 8)) return "truncated: not even a signature";
        while (true) {
            std::uint32_t type = 0;
            if (!chunk(type)) return "truncated: the file ends before the image";
            if (type == name("IHDR")) {
                std::uint8_t h[13];
                if (left_ != 13 || !bytes(h, 13)) return "a damaged PNG: its header is odd";
                left_ = 0;
                header.width = big(h);
                header.height = big(h + 4);
                header.depth = h[8];
                header.color = h[9];
                header.interlaced = h[12] == 1;
                if (!header.good() || h[10] != 0 || h[11] != 0 || h[12] > 1)
                    return "a damaged PNG: its header is odd";
            } else if (type == name("PLTE")) {
                const auto count = static_cast<std::size_t>(left_);
                if (count > sizeof palette_ || count % 3 != 0)
                    return "a damaged PNG: its palette is odd";
                if (!bytes(palette_, count)) return "truncated: the file ends before the image";
                left_ = 0;
            } else if (type == name("IDAT")) {
                return header.width == 0 ? "a damaged PNG: no header" : nullptr;
            } else if (type == name("IEND")) {
                return "a damaged PNG: no image in it";
            }
            if (!skip(left_ + 4)) return "truncated: the file ends before the image";
        }
    }

    const char* begin_pixels() {
        std::memset(&z_, 0, sizeof z_);
        z_.zalloc = take;
        z_.zfree = keep;
        z_.opaque = &scratch_;
        if (inflateInit(&z_) != Z_OK) return "no room";
        inflating_ = true;
        return nullptr;
    }

    // The next `count` bytes of the unpacked image.
    const char* pixels(std::uint8_t* into, std::uint64_t count) {
        z_.next_out = into;
        z_.avail_out = static_cast<uInt>(count);
        while (z_.avail_out > 0) {
            while (left_ == 0) {
                std::uint32_t type = 0;
                if (!skip(4) || !chunk(type))
                    return "truncated: the file ends in the middle of the image";
                if (type != name("IDAT")) return "truncated: the image ends in its middle";
            }
            if (piece_.empty()) piece_ = stream_.more();
            if (piece_.empty()) return "truncated: the file ends in the middle of the image";
            const std::size_t some = std::min<std::uint64_t>(left_, piece_.size());
            z_.next_in = const_cast<Bytef*>(piece_.data());
            z_.avail_in = static_cast<uInt>(some);
            const int answer = inflate(&z_, Z_NO_FLUSH);
            const std::size_t used = some - z_.avail_in;
            piece_ = piece_.subspan(used);
            left_ -= used;
            if (answer == Z_STREAM_END && z_.avail_out > 0)
                return "a damaged PNG: fewer pixels than its header tells";
            if (answer != Z_OK && answer != Z_STREAM_END && answer != Z_BUF_ERROR)
                return "a damaged PNG: its data cannot be unpacked";
        }
        return nullptr;
    }

    const std::uint8_t* palette() const { return palette_; }

private:
    static voidpf take(voidpf scratch, uInt items, uInt size) {
        return static_cast<Scratch*>(scratch)->take(std::uint64_t{items} * size);
    }
    static void keep(voidpf, voidpf) {}
    static constexpr std::uint32_t name(const char (&text)[5]) {
        std::uint32_t all = 0;
        for (int i = 0; i < 4; ++i) all = all << 8U | static_cast<unsigned char>(text[i]);
        return all;
    }
    static std::uint32_t big(const std::uint8_t* p) {
        return static_cast<std::uint32_t>(p[0]) << 24U | static_cast<std::uint32_t>(p[1]) << 16U |
               static_cast<std::uint32_t>(p[2]) << 8U | p[3];
    }
    bool bytes(std::uint8_t* into, std::size_t count) {
        while (count > 0) {
            if (piece_.empty()) piece_ = stream_.more();
            if (piece_.empty()) return false;
            const std::size_t some = std::min(count, piece_.size());
            if (into != nullptr) {
                std::memcpy(into, piece_.data(), some);
                into += some;
            }
            piece_ = piece_.subspan(some);
            count -= some;
        }
        return true;
    }
    bool skip(std::uint64_t count) { return bytes(nullptr, count); }
    bool chunk(std::uint32_t& type) {
        std::uint8_t head[8];
        if (!bytes(head, 8)) return false;
        left_ = big(head);
        type = big(head + 4);
        return left_ <= 0x7fffffffU;
    }

    std::span<const std::uint8_t> piece_;
    ByteStream& stream_;
    Scratch& scratch_;
    std::uint64_t left_ = 0;  // of the chunk
    z_stream z_{};
    bool inflating_ = false;
    std::uint8_t palette_[768] = {};
};

// Undoes a row's filter; `before` is the row above, zero at the top.
bool undo_filter(unsigned filter, std::uint8_t* row, const std::uint8_t* before,
                 std::uint64_t count, std::uint64_t pixel) {
    switch (filter) {
    case 0: return true;
    case 1:
        for (std::uint64_t i = pixel; i < count; ++i)
            row[i] = static_cast<std::uint8_t>(row[i] + row[i - pixel]);
        return true;
    case 2:
        for (std::uint64_t i = 0; i < count; ++i)
            row[i] = static_cast<std::uint8_t>(row[i] + before[i]);
        return true;
    case 3:
        for (std::uint64_t i = 0; i < count; ++i) {
            const unsigned left = i < pixel ? 0 : row[i - pixel];
            row[i] = static_cast<std::uint8_t>(row[i] + (left + before[i]) / 2);
        }
        return true;
    case 4:
        for (std::uint64_t i = 0; i < count; ++i) {
            const int a = i < pixel ? 0 : row[i - pixel];
            const int b = before[i];
            const int c = i < pixel ? 0 : before[i - pixel];
            const int pa = std::abs(b - c);
            const int pb = std::abs(a - c);
            const int pc = std::abs(a + b - 2 * c);
            row[i] = static_cast<std::uint8_t>(row[i] + (pa <= pb && pa <= pc ? a
                                                         : pb <= pc           ? b
                                                                              : c));
        }
        return true;
    default: return false;
    }
}

// Converts a row from the file's form to 8 bits a channel; transparency is ignored.
void plain_pixels(const PngHeader& header, const std::uint8_t* palette, const std::uint8_t* row,
                  std::uint32_t pixels, std::uint32_t channels, std::uint8_t* out) {
    const unsigned samples = header.samples();
    const unsigned step = header.depth == 16 ? 2 : 1;
    for (std::uint32_t x = 0; x < pixels; ++x, out += channels) {
        unsigned r = 0;
        unsigned g = 0;
        unsigned b = 0;
        if (header.depth < 8) {
            const unsigned bit = x * header.depth;
            const unsigned mask = (1U << header.depth) - 1;
            const unsigned value = row[bit / 8] >> (8 - header.depth - bit % 8) & mask;
            r = g = b = header.color == 3 ? value : value * 255 / mask;
        } else {
            const std::uint8_t* at = row + std::uint64_t{x} * samples * step;
            r = g = b = at[0];
            if (samples >= 3) {
                g = at[step];
                b = at[2 * step];
            }
        }
        if (header.color == 3) {
            const std::uint8_t* entry = palette + std::size_t{r} * 3;
            r = entry[0];
            g = entry[1];
            b = entry[2];
        }
        if (channels == 1) {
            out[0] = static_cast<std::uint8_t>(
                r == g && g == b ? r : (r * 299 + g * 587 + b * 114 + 500) / 1000);
        } else {
            out[0] = static_cast<std::uint8_t>(r);
            out[1] = static_cast<std::uint8_t>(g);
            out[2] = static_cast<std::uint8_t>(b);
        }
    }
}

// The seven small images of an interlaced one.
struct PngPass {
    std::uint32_t x, y, dx, dy;
};
constexpr PngPass png_passes[] = {{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                  {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};

}  // namespace

std::optional<BadImage> decode_png(std::span<const std::uint8_t> front, ByteStream& stream,
                                   Scratch& scratch, std::uint32_t channels, RowTaker& taker) {
    PngReader reader(front, stream, scratch);
    PngHeader header;
    if (const char* wrong = reader.head(header)) return BadImage{wrong};
    const std::uint64_t longest = header.row_bytes(header.width);
    const std::uint64_t pixel =
        std::max<std::uint64_t>(1, std::uint64_t{header.samples()} * header.depth / 8);
    auto* row = static_cast<std::uint8_t*>(scratch.take(longest + 1));
    auto* above = static_cast<std::uint8_t*>(scratch.take(longest + 1));
    std::uint8_t* whole = nullptr;
    const std::uint64_t whole_row = std::uint64_t{header.width} * channels;
    std::uint8_t* plain = nullptr;
    if (header.interlaced) {
        whole = static_cast<std::uint8_t*>(scratch.take(whole_row * header.height));
        plain = static_cast<std::uint8_t*>(scratch.take(whole_row));
    }
    static_cast<void>(taker.denominator({header.height, header.width}));
    const BadImage no_room{"no room to decode it", true};
    if (scratch.missed() || reader.begin_pixels() != nullptr) return no_room;
    if (!taker.begin({header.height, header.width}, scratch))
        return scratch.missed() ? no_room : BadImage{"", false};

    for (const PngPass& pass : png_passes) {
        const PngPass step = header.interlaced ? pass : PngPass{0, 0, 1, 1};
        const std::uint32_t pixels =
            header.width > step.x ? (header.width - step.x + step.dx - 1) / step.dx : 0;
        if (pixels == 0) continue;
        const std::uint64_t bytes = header.row_bytes(pixels);
        std::memset(above, 0, longest + 1);
        for (std::uint32_t y = step.y; y < header.height; y += step.dy) {
            if (const char* wrong = reader.pixels(row, bytes + 1))
                return scratch.missed() ? no_room : BadImage{wrong};
            if (!undo_filter(row[0], row + 1, above + 1, bytes, pixel))
                return BadImage{"a damaged PNG: an unknown filter"};
            if (header.interlaced) {
                plain_pixels(header, reader.palette(), row + 1, pixels, channels, plain);
                for (std::uint32_t i = 0; i < pixels; ++i)
                    std::memcpy(
                        whole + y * whole_row + (step.x + std::uint64_t{i} * step.dx) * channels,
                        plain + std::uint64_t{i} * channels, channels);
            } else {
                plain_pixels(header, reader.palette(), row + 1, pixels, channels, taker.next_row());
                if (!taker.row_done()) return std::nullopt;
            }
            std::swap(row, above);
        }
        if (!header.interlaced) break;
    }
    for (std::uint32_t y = 0; header.interlaced && y < header.height; ++y) {
        std::memcpy(taker.next_row(), whole + y * whole_row, whole_row);
        if (!taker.row_done()) break;
    }
    return std::nullopt;
}

}  // namespace holdfast::loader

#endif
