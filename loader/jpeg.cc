// JPEG by libjpeg-turbo, whose memory comes from our scratch: the library leaves its lowest layer
// to the program that uses it, and the functions at the end of this file are that layer.
#if HOLDFAST_HAVE_CODECS

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <iterator>

// Needs <cstdio> before it.
#include <jerror.h>
#include <jpeglib.h>

#include "loader/decoder.h"

namespace holdfast::loader {
namespace {

struct JpegErrors {
    jpeg_error_mgr base;
    std::jmp_buf back;
    char text[JMSG_LENGTH_MAX];
};

struct JpegInput {
    jpeg_source_mgr base;
    ByteStream* stream;
};

// libjpeg's own messages. Its error manager is not used, because it writes to stderr.
#define JMESSAGE(code, string) string,
#define JCOPYRIGHT_SHORT ""
#define JVERSION ""
constexpr const char* jpeg_messages[] = {
#include <jerror.h>
    nullptr};

[[noreturn]] void jpeg_failed(j_common_ptr info) {
    auto* errors = reinterpret_cast<JpegErrors*>(info->err);
    const int code = errors->base.msg_code;
    const int* numbers = errors->base.msg_parm.i;
    const bool known = code > 0 && code < static_cast<int>(std::size(jpeg_messages)) - 1;
    const char* words = known ? jpeg_messages[code] : "unknown";
    if (std::strstr(words, "%s") != nullptr) words = "an unsupported part";
    std::snprintf(errors->text, sizeof errors->text, words, numbers[0], numbers[1], numbers[2],
                  numbers[3]);
    std::longjmp(errors->back, 1);
}

void jpeg_warned(j_common_ptr info, int) { ++info->err->num_warnings; }
void jpeg_said(j_common_ptr) {}
void jpeg_nothing(j_decompress_ptr) {}

boolean jpeg_more(j_decompress_ptr info) {
    auto* input = reinterpret_cast<JpegInput*>(info->src);
    const std::span<const std::uint8_t> piece = input->stream->more();
    if (piece.empty()) ERREXIT(info, JERR_INPUT_EOF);
    input->base.next_input_byte = piece.data();
    input->base.bytes_in_buffer = piece.size();
    return TRUE;
}

void jpeg_skip(j_decompress_ptr info, long count) {
    auto* input = reinterpret_cast<JpegInput*>(info->src);
    auto left = static_cast<std::size_t>(count > 0 ? count : 0);
    while (left > input->base.bytes_in_buffer) {
        left -= input->base.bytes_in_buffer;
        jpeg_more(info);
    }
    input->base.next_input_byte += left;
    input->base.bytes_in_buffer -= left;
}

// Four inks, stored the other way round as Adobe does, to red, green and blue (or to grey).
void from_inks(const std::uint8_t* inks, std::uint32_t width, std::uint32_t channels,
               std::uint8_t* out) {
    for (std::uint32_t x = 0; x < width; ++x, inks += 4, out += channels) {
        const unsigned r = inks[0] * inks[3] / 255U;
        const unsigned g = inks[1] * inks[3] / 255U;
        const unsigned b = inks[2] * inks[3] / 255U;
        if (channels == 1) {
            out[0] = static_cast<std::uint8_t>((r * 299 + g * 587 + b * 114 + 500) / 1000);
        } else {
            out[0] = static_cast<std::uint8_t>(r);
            out[1] = static_cast<std::uint8_t>(g);
            out[2] = static_cast<std::uint8_t>(b);
        }
    }
}

}  // namespace

// Nothing in here may need a destructor, because errors leave by longjmp.
std::optional<BadImage> decode_jpeg(std::span<const std::uint8_t> front, ByteStream& stream,
                                    Scratch& scratch, std::uint32_t channels, RowTaker& taker) {
    jpeg_decompress_struct info;
    JpegErrors errors;
    std::memset(&info, 0, sizeof info);
    std::memset(&errors, 0, sizeof errors);
    info.err = &errors.base;
    errors.base.error_exit = jpeg_failed;
    errors.base.emit_message = jpeg_warned;
    errors.base.output_message = jpeg_said;
    errors.base.reset_error_mgr = jpeg_said;
    info.client_data = &scratch;
    if (setjmp(errors.back) != 0) {
        jpeg_destroy_decompress(&info);
        if (scratch.missed()) return BadImage{"no room to decode it", true};
        const bool cut = errors.base.msg_code == JERR_INPUT_EOF;
        return BadImage{cut ? "truncated: the file ends in the middle of the image"
                            : "a damaged JPEG: " + std::string(errors.text)};
    }
    jpeg_create_decompress(&info);
    JpegInput input;
    std::memset(&input, 0, sizeof input);
    input.stream = &stream;
    input.base.init_source = jpeg_nothing;
    input.base.fill_input_buffer = jpeg_more;
    input.base.skip_input_data = jpeg_skip;
    input.base.resync_to_restart = jpeg_resync_to_restart;
    input.base.term_source = jpeg_nothing;
    input.base.next_input_byte = front.data();
    input.base.bytes_in_buffer = front.size();
    info.src = &input.base;
    jpeg_read_header(&info, TRUE);
    const bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    info.out_color_space = inks ? JCS_CMYK : channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    info.scale_num = 1;
    info.scale_denom = taker.denominator({info.image_height, info.image_width});
    jpeg_start_decompress(&info);
    if (!taker.begin({info.output_height, info.output_width}, scratch)) {
        jpeg_destroy_decompress(&info);
        return scratch.missed() ? BadImage{"no room to resize it", true} : BadImage{"", false};
    }
    std::uint8_t* four = nullptr;
    if (inks) {
        four = static_cast<std::uint8_t*>(scratch.take(std::uint64_t{info.output_width} * 4));
        if (four == nullptr) {
            jpeg_destroy_decompress(&info);
            return BadImage{"no room to decode it", true};
        }
    }
    bool wanted = true;
    while (wanted && info.output_scanline < info.output_height) {
        std::uint8_t* row = taker.next_row();
        JSAMPROW into = inks ? four : row;
        jpeg_read_scanlines(&info, &into, 1);
        if (inks) from_inks(four, info.output_width, channels, row);
        wanted = taker.row_done();
    }
    jpeg_destroy_decompress(&info);
    return std::nullopt;
}

}  // namespace holdfast::loader

// What libjpeg calls "the system-dependent memory manager". The object that holds our pieces is
// destroyed as a whole, so nothing is freed individually.
extern "C" {

static void* from_scratch(j_common_ptr info, std::size_t size) {
    return static_cast<holdfast::loader::Scratch*>(info->client_data)->take(size);
}

void* jpeg_get_small(j_common_ptr info, std::size_t size);
void jpeg_free_small(j_common_ptr info, void* object, std::size_t size);
void* jpeg_get_large(j_common_ptr info, std::size_t size);
void jpeg_free_large(j_common_ptr info, void* object, std::size_t size);
std::size_t jpeg_mem_available(j_common_ptr info, std::size_t least, std::size_t most,
                               std::size_t already);
void jpeg_open_backing_store(j_common_ptr info, void* store, long bytes);
long jpeg_mem_init(j_common_ptr info);
void jpeg_mem_term(j_common_ptr info);

void* jpeg_get_small(j_common_ptr info, std::size_t size) { return from_scratch(info, size); }
void jpeg_free_small(j_common_ptr, void*, std::size_t) {}
void* jpeg_get_large(j_common_ptr info, std::size_t size) { return from_scratch(info, size); }
void jpeg_free_large(j_common_ptr, void*, std::size_t) {}
std::size_t jpeg_mem_available(j_common_ptr, std::size_t, std::size_t most, std::size_t) {
    return most;
}
void jpeg_open_backing_store(j_common_ptr info, void*, long) {
    ERREXIT(info, JERR_NO_BACKING_STORE);
}
long jpeg_mem_init(j_common_ptr) { return 0; }
void jpeg_mem_term(j_common_ptr) {}
}

#endif
