// How a decoded image becomes a picture: which part of it, how large, in which numbers and in which
// order.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "loader/decoder.h"
#include "loader/order.h"
#include "loader/source.h"

namespace holdfast::loader {

enum class Crop { stretch, center, random };
enum class Number { u8, f16, bf16, f32 };

struct PictureOptions {
    ImageSize size;  // {0, 0}: as it is
    Crop crop = Crop::stretch;
    std::uint32_t shorter = 0;  // centre crop: the shorter side is resized to this first
    double least_area = 0.08;   // random crop
    bool flip = false;
    bool fast = false;
    bool planes = false;  // CHW
    std::uint32_t channels = 3;
    Number number = Number::u8;
    double mean[3] = {0, 0, 0};
    double deviation[3] = {1, 1, 1};

    static Result<PictureOptions> from_json(const Json& json);
    std::uint64_t number_bytes() const {
        return number == Number::u8 ? 1 : number == Number::f32 ? 4 : 2;
    }
    Field field(ImageSize of) const;
};

// The value of each of the 256 levels, in the numbers of the result.
struct Levels {
    explicit Levels(const PictureOptions& options);
    std::uint8_t bytes[3][256];
    std::uint16_t halves[3][256];
    float floats[3][256];
};

std::uint16_t half_of(float value);
std::uint16_t brain_half_of(float value);
// The part of an image that is used; random crops draw from `random`.
CropBox box_of(const PictureOptions& options, ImageSize in, SampleRandom& random);

// Takes the rows of one image and writes the finished picture.
class PictureMaker : public RowTaker, private RowSink {
public:
    // `expected` is the image's size if nothing is resized.
    PictureMaker(const PictureOptions& options, const Levels& levels, ImageSize expected,
                 SampleRandom random, std::byte* out)
        : options_(options), levels_(levels), expected_(expected), random_(random), out_(out) {}

    unsigned denominator(ImageSize full) override;
    bool begin(ImageSize size, Scratch& scratch) override;
    std::uint8_t* next_row() override { return scaled_ ? scaler_.next_row() : row_; }
    bool row_done() override;
    // The image's size if it was not the expected one.
    std::optional<ImageSize> odd() const { return odd_; }

private:
    void row(std::uint32_t y, const std::uint8_t* pixels) override;
    template <class T>
    void write(std::uint32_t y, const std::uint8_t* pixels, const T (&levels)[3][256]);

    const PictureOptions& options_;
    const Levels& levels_;
    ImageSize expected_;
    SampleRandom random_;
    std::byte* out_;
    CropBox box_;
    bool flipped_ = false;
    bool scaled_ = false;
    Scaler scaler_;
    ImageSize full_;
    std::uint8_t* row_ = nullptr;
    std::uint32_t y_ = 0;
    std::optional<ImageSize> odd_;
};

// Only looks at the size.
class SizeReader : public RowTaker {
public:
    unsigned denominator(ImageSize full) override {
        size = full;
        return 1;
    }
    bool begin(ImageSize, Scratch&) override { return false; }
    std::uint8_t* next_row() override { return nullptr; }
    bool row_done() override { return false; }
    ImageSize size;
};

}  // namespace holdfast::loader
