#include "loader/picture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/format.h"

namespace holdfast::loader {

std::uint16_t brain_half_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

// Levels are finite and small; rounded to the nearest even one.
std::uint16_t half_of(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto sign = static_cast<std::uint16_t>(bits >> 16U & 0x8000U);
    const float size = std::min(std::abs(value), 65504.0F);
    if (size < 0x1.0p-14F)  // below the normal ones: steps of 2^-24
        return static_cast<std::uint16_t>(
            sign | static_cast<std::uint16_t>(std::nearbyint(size * 0x1.0p24F)));
    const auto in = std::bit_cast<std::uint32_t>(size);
    const std::uint32_t rounded = in + 0xfffU + (in >> 13U & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded >> 13U) - (112U << 10U)));
}

Result<PictureOptions> PictureOptions::from_json(const Json& json) {
    PictureOptions options;
    if (json["size"].is_list()) {
        const auto height = json["size"][0].natural();
        const auto width = json["size"][1].natural();
        if (!height || !width || *height == 0 || *width == 0 || *height > 65535 || *width > 65535)
            return Error{"size is one number of pixels, or (height, width)"};
        options.size = {static_cast<std::uint32_t>(*height), static_cast<std::uint32_t>(*width)};
    }
    const std::string crop = json["crop"].text() ? *json["crop"].text() : "stretch";
    if (crop == "center")
        options.crop = Crop::center;
    else if (crop == "random")
        options.crop = Crop::random;
    else if (crop != "stretch")
        return Error{"crop is \"center\", \"random\" or None"};
    if (options.crop != Crop::stretch && options.size.height == 0)
        return Error{"crop needs a size"};
    options.shorter = static_cast<std::uint32_t>(json["shorter"].natural().value_or(0));
    options.least_area = std::clamp(json["least_area"].number().value_or(0.08), 0.001, 1.0);
    options.flip = json["flip"].truth().value_or(false);
    options.fast = json["fast"].truth().value_or(false);
    options.planes = json["planes"].truth().value_or(false);
    options.channels = json["channels"].natural().value_or(3) == 1 ? 1 : 3;
    const std::string number = json["number"].text() ? *json["number"].text() : "uint8";
    if (number == "float32")
        options.number = Number::f32;
    else if (number == "float16")
        options.number = Number::f16;
    else if (number == "bfloat16")
        options.number = Number::bf16;
    else if (number != "uint8")
        return Error{"dtype of images is uint8, float32, float16 or bfloat16"};
    for (std::size_t c = 0; c < 3; ++c) {
        if (json["mean"].is_list())
            options.mean[c] =
                json["mean"][std::min(c, json["mean"].size() - 1)].number().value_or(0);
        if (json["std"].is_list())
            options.deviation[c] =
                json["std"][std::min(c, json["std"].size() - 1)].number().value_or(1);
        if (options.deviation[c] == 0) return Error{"std is 0"};
    }
    if (options.number == Number::u8 && (json["mean"].is_list() || json["std"].is_list()))
        return Error{"mean and std make fractions; take dtype=\"float32\""};
    return options;
}

Field PictureOptions::field(ImageSize of) const {
    Field made;
    made.name = "image";
    made.dtype = number == Number::u8     ? "|u1"
                 : number == Number::f16  ? "<f2"
                 : number == Number::bf16 ? "bf16"
                                          : "<f4";
    if (planes)
        made.shape = {channels, of.height, of.width};
    else
        made.shape = {of.height, of.width, channels};
    made.sample_bytes = std::uint64_t{of.height} * of.width * channels * number_bytes();
    return made;
}

Levels::Levels(const PictureOptions& options) {
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t v = 0; v < 256; ++v) {
            const auto exact = static_cast<float>(
                (static_cast<double>(v) / 255.0 - options.mean[c]) / options.deviation[c]);
            bytes[c][v] = static_cast<std::uint8_t>(v);
            floats[c][v] = exact;
            halves[c][v] = options.number == Number::bf16 ? brain_half_of(exact) : half_of(exact);
        }
}

CropBox box_of(const PictureOptions& options, ImageSize in, SampleRandom& random) {
    const double width = in.width;
    const double height = in.height;
    if (options.crop == Crop::stretch) return {0, 0, width, height};
    if (options.crop == Crop::random) {
        // Ten tries for a part of 8 to 100 % of the area that is not too long, as usual.
        for (int i = 0; i < 10; ++i) {
            const double area = width * height * random.uniform(options.least_area, 1.0);
            const double ratio = std::exp(random.uniform(std::log(3.0 / 4.0), std::log(4.0 / 3.0)));
            const double w = std::round(std::sqrt(area * ratio));
            const double h = std::round(std::sqrt(area / ratio));
            if (w < 1 || h < 1 || w > width || h > height) continue;
            const double left = std::floor(random.uniform() * (width - w + 1));
            const double top = std::floor(random.uniform() * (height - h + 1));
            return {left, top, left + w, top + h};
        }
    }
    // The largest part in the middle with the result's proportions; smaller by shorter/size.
    double w = width;
    double h = height;
    const double wanted = static_cast<double>(options.size.width) / options.size.height;
    if (w / h > wanted)
        w = h * wanted;
    else
        h = w / wanted;
    const std::uint32_t least = std::min(options.size.height, options.size.width);
    if (options.crop == Crop::center && options.shorter > least) {
        const double part = static_cast<double>(least) / options.shorter;
        w *= part;
        h *= part;
    }
    return {(width - w) / 2, (height - h) / 2, (width + w) / 2, (height + h) / 2};
}

unsigned PictureMaker::denominator(ImageSize full) {
    full_ = full;
    box_ = box_of(options_, full, random_);
    flipped_ = options_.flip && (random_.next() & 1U) != 0;
    if (!options_.fast || options_.size.height == 0) return 1;
    unsigned by = 1;
    while (by < 8 && (box_.right - box_.left) / (by * 2) >= options_.size.width &&
           (box_.bottom - box_.top) / (by * 2) >= options_.size.height)
        by *= 2;
    return by;
}

bool PictureMaker::begin(ImageSize size, Scratch& scratch) {
    y_ = 0;
    scaled_ =
        options_.size.height != 0 && (size != options_.size || options_.crop != Crop::stretch);
    if (scaled_) {
        const double x = static_cast<double>(size.width) / full_.width;
        const double y = static_cast<double>(size.height) / full_.height;
        const CropBox box{box_.left * x, box_.top * y, box_.right * x, box_.bottom * y};
        return scaler_.begin(scratch, size, box, options_.size, options_.channels, *this);
    }
    if (options_.size.height == 0 && size != expected_) {
        odd_ = size;
        return false;
    }
    row_ = static_cast<std::uint8_t*>(scratch.take(std::uint64_t{size.width} * options_.channels));
    return row_ != nullptr;
}

bool PictureMaker::row_done() {
    if (scaled_) return scaler_.row_done();
    row(y_++, row_);
    return true;
}

template <class T>
void PictureMaker::write(std::uint32_t y, const std::uint8_t* pixels, const T (&levels)[3][256]) {
    const ImageSize size = options_.size.height == 0 ? expected_ : options_.size;
    const std::uint32_t channels = options_.channels;
    T* out = reinterpret_cast<T*>(out_);
    for (std::uint32_t c = 0; c < channels; ++c) {
        const std::uint64_t step = options_.planes ? 1 : channels;
        T* to = options_.planes ? out + (std::uint64_t{c} * size.height + y) * size.width
                                : out + std::uint64_t{y} * size.width * channels + c;
        const std::uint8_t* from = pixels + c;
        if (flipped_) {
            for (std::uint32_t x = 0; x < size.width; ++x)
                to[(size.width - 1 - x) * step] = levels[c][from[std::uint64_t{x} * channels]];
        } else {
            for (std::uint32_t x = 0; x < size.width; ++x)
                to[x * step] = levels[c][from[std::uint64_t{x} * channels]];
        }
    }
}

void PictureMaker::row(std::uint32_t y, const std::uint8_t* pixels) {
    switch (options_.number) {
    case Number::u8:
        if (!options_.planes && !flipped_) {
            const std::uint64_t width =
                options_.size.height == 0 ? expected_.width : options_.size.width;
            const std::uint64_t bytes = width * options_.channels;
            std::memcpy(out_ + y * bytes, pixels, bytes);
        } else {
            write(y, pixels, levels_.bytes);
        }
        return;
    case Number::f32: write(y, pixels, levels_.floats); return;
    case Number::f16:
    case Number::bf16: write(y, pixels, levels_.halves); return;
    }
}

}  // namespace holdfast::loader
