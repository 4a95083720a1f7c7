#include "loader/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace holdfast::loader {
namespace {

// Feeds an image of `in` pixels, made by `color(x, y, c)`, and returns the picture.
template <class Color>
std::vector<std::uint8_t> made(const PictureOptions& options, ImageSize in, const Color& color) {
    std::vector<std::byte> room(8U << 20U);
    Scratch scratch(room);
    const Levels levels(options);
    const ImageSize out = options.size.height == 0 ? in : options.size;
    std::vector<std::uint8_t> result(std::size_t{out.height} * out.width * options.channels *
                                     options.number_bytes());
    PictureMaker maker(options, levels, in, SampleRandom(1, 2, 3),
                       reinterpret_cast<std::byte*>(result.data()));
    maker.denominator(in);
    EXPECT_TRUE(maker.begin(in, scratch));
    for (std::uint32_t y = 0; y < in.height; ++y) {
        std::uint8_t* row = maker.next_row();
        for (std::uint32_t x = 0; x < in.width; ++x)
            for (std::uint32_t c = 0; c < options.channels; ++c)
                row[x * options.channels + c] = color(x, y, c);
        if (!maker.row_done()) break;
    }
    return result;
}

TEST(Picture, APlainSurfaceStaysPlain) {
    PictureOptions options;
    for (const ImageSize size : {ImageSize{7, 9}, ImageSize{100, 3}, ImageSize{400, 500}}) {
        options.size = size;
        for (const std::uint8_t value :
             made(options, {123, 77}, [](auto, auto, auto) { return std::uint8_t{201}; }))
            ASSERT_EQ(value, 201);
    }
}

TEST(Picture, HalvingAveragesWithTheTriangle) {
    PictureOptions options;
    options.size = {1, 4};
    options.channels = 1;
    // Columns 0 80 0 80 ...: every result sees both kinds with equal weight, but at the edges.
    const auto row = made(options, {1, 8},
                          [](auto x, auto, auto) { return static_cast<std::uint8_t>(x % 2 * 80); });
    EXPECT_EQ(row[1], 40);
    EXPECT_EQ(row[2], 40);
}

TEST(Picture, GradientsKeepTheirPlace) {
    PictureOptions options;
    options.size = {64, 64};
    const auto picture = made(options, {256, 256}, [](auto x, auto y, auto c) {
        return static_cast<std::uint8_t>(c == 0 ? x : c == 1 ? y : 0);
    });
    for (std::uint32_t y = 2; y < 62; ++y)
        for (std::uint32_t x = 2; x < 62; ++x) {
            ASSERT_NEAR(picture[(y * 64 + x) * 3], x * 4 + 1.5, 1.0);
            ASSERT_NEAR(picture[(y * 64 + x) * 3 + 1], y * 4 + 1.5, 1.0);
        }
}

TEST(Picture, PlanesAndNormalisedNumbers) {
    PictureOptions options;
    options.number = Number::f32;
    options.planes = true;
    options.mean[0] = 0.5;
    options.deviation[0] = 0.25;
    const auto bytes = made(options, {2, 2}, [](auto, auto, auto c) {
        return static_cast<std::uint8_t>(c == 0 ? 255 : 0);
    });
    float values[12];
    std::memcpy(values, bytes.data(), sizeof values);
    EXPECT_FLOAT_EQ(values[0], 2.0F);
    EXPECT_FLOAT_EQ(values[3], 2.0F);
    EXPECT_FLOAT_EQ(values[4], 0.0F);
}

TEST(Picture, HalfNumbersAreTheNearest) {
    EXPECT_EQ(half_of(0.0F), 0x0000);
    EXPECT_EQ(half_of(1.0F), 0x3c00);
    EXPECT_EQ(half_of(-2.0F), 0xc000);
    EXPECT_EQ(half_of(65504.0F), 0x7bff);
    EXPECT_EQ(half_of(0x1.0p-24F), 0x0001);
    EXPECT_EQ(half_of(1.0F / 3), 0x3555);
    EXPECT_EQ(brain_half_of(1.0F), 0x3f80);
    EXPECT_EQ(brain_half_of(1.0F / 3), 0x3eab);
}

TEST(Picture, RandomCropsLieInsideAndRepeat) {
    PictureOptions options;
    options.size = {32, 32};
    options.crop = Crop::random;
    for (std::uint64_t i = 0; i < 500; ++i) {
        SampleRandom random(1, 0, i);
        SampleRandom again(1, 0, i);
        const CropBox box = box_of(options, {375, 500}, random);
        EXPECT_GE(box.left, 0);
        EXPECT_GE(box.top, 0);
        EXPECT_LE(box.right, 500);
        EXPECT_LE(box.bottom, 375);
        EXPECT_GE((box.right - box.left) * (box.bottom - box.top), 375 * 500 * 0.075);
        EXPECT_EQ(box_of(options, {375, 500}, again).left, box.left);
    }
}

TEST(Picture, SaysThatTheScratchIsTooSmall) {
    PictureOptions options;
    options.size = {224, 224};
    const Levels levels(options);
    std::vector<std::byte> room(4096);
    Scratch scratch(room);
    std::vector<std::byte> out(224 * 224 * 3);
    PictureMaker maker(options, levels, {375, 500}, SampleRandom(1, 2, 3), out.data());
    maker.denominator({375, 500});
    EXPECT_FALSE(maker.begin({375, 500}, scratch));
    EXPECT_TRUE(scratch.missed());
}

}  // namespace
}  // namespace holdfast::loader
