// Makes an image of another size while its rows come in: a triangle filter that widens as the image
// shrinks, like PIL's BILINEAR. Keeps only the rows that one row of the result needs.
#pragma once

#include <cstdint>

#include "loader/arena.h"

namespace holdfast::loader {

// The part of an image that becomes the result, in pixels of the image.
struct CropBox {
    double left = 0;
    double top = 0;
    double right = 0;
    double bottom = 0;
};

struct ImageSize {
    std::uint32_t height = 0;
    std::uint32_t width = 0;
    friend bool operator==(ImageSize, ImageSize) = default;
};

class RowSink {
public:
    virtual ~RowSink() = default;
    virtual void row(std::uint32_t y, const std::uint8_t* pixels) = 0;
};

// The weights of one direction: result i is made of `taps` inputs from first[i] on.
struct Weights {
    std::uint32_t* first = nullptr;
    std::int16_t* weight = nullptr;  // taps for each result; they sum up to 1 << 14
    std::uint32_t taps = 0;
};

class Scaler {
public:
    // False if the scratch has no room.
    bool begin(Scratch& scratch, ImageSize in, CropBox box, ImageSize out, std::uint32_t channels,
               RowSink& sink);
    // Where to write the next row; it has room for a few bytes more than the row.
    std::uint8_t* next_row();
    // The row is written. False: no further row is needed.
    bool row_done();
    // Rows before this one are not needed.
    std::uint32_t first_row() const { return vertical_.first[0]; }
    void skip_to(std::uint32_t y) { arrived_ = y; }

private:
    void emit();

    ImageSize in_;
    ImageSize out_;
    std::uint32_t channels_ = 3;
    std::uint32_t arrived_ = 0;
    std::uint32_t made_ = 0;
    Weights horizontal_;
    Weights vertical_;
    std::uint8_t* ring_ = nullptr;
    std::uint32_t ring_rows_ = 0;
    std::uint64_t stride_ = 0;
    std::uint8_t* mixed_row_ = nullptr;
    std::uint8_t* result_ = nullptr;
    const std::uint8_t** rows_ = nullptr;
    RowSink* sink_ = nullptr;
};

}  // namespace holdfast::loader
