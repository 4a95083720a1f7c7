// What every kind of data can do: say how many samples there are and what they look like, and write
// some of them into a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "loader/arena.h"

namespace holdfast::loader {

// One array of a batch. `dtype` is NumPy's name for it ("<f4", "|u1"), or "bf16" which NumPy lacks.
struct Field {
    std::string name;
    std::string dtype;
    std::vector<std::uint64_t> shape;  // of one sample
    std::uint64_t sample_bytes = 0;
};

struct RowLayout {
    std::vector<Field> fields;
    // Samples of different lengths: a batch begins with one (offset, length) pair for each, 16
    // bytes, and this is all it can hold.
    std::uint64_t ragged_bytes = 0;
    // The scratch memory of one worker, and the most that a single sample may need.
    std::uint64_t scratch = 0;
    std::uint64_t large = 0;
};

// Where the rows of each field begin in a batch of `rows` rows.
std::vector<std::uint64_t> field_offsets(const RowLayout& layout, std::uint64_t rows);
std::uint64_t batch_bytes(const RowLayout& layout, std::uint64_t rows);

struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
};

// A part of a batch that one worker fills.
struct Part {
    std::span<const std::uint64_t> samples;
    std::uint64_t first_row = 0;
    std::byte* batch = nullptr;
    std::span<const std::uint64_t> offsets;  // of the fields
    std::uint64_t capacity = 0;              // bytes of the batch's slot
    std::uint64_t seed = 0;
    std::uint64_t epoch = 0;
};

// Why a sample could not be read.
struct Failure {
    std::uint64_t row = 0;
    std::uint64_t sample = 0;
    std::string text;
    bool wants_room = false;  // it needs more scratch than it got
};

class Source {
public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    virtual std::uint64_t count() const = 0;
    virtual RowLayout layout(std::uint64_t rows) const = 0;
    virtual std::string name(std::uint64_t sample) const = 0;
    // A hash of the files' names and sizes, so that a resumed run notices changed data.
    virtual std::uint64_t fingerprint() const = 0;
    virtual std::vector<std::string> classes() const { return {}; }
    // For images in their own sizes: the type of the label in each head; empty if there is none.
    virtual std::string label_in_head() const { return {}; }
    // Fills the rows of `part`; called by many threads at once, each with its own scratch.
    virtual void fill(const Part& part, Scratch& scratch, std::vector<Failure>& failures) = 0;
    // How many samples a part should have.
    virtual std::uint64_t part_size(std::uint64_t rows, unsigned workers) const;

protected:
    // The same for samples that cost next to nothing: large enough that taking a part costs less.
    static std::uint64_t part_of_bytes(std::uint64_t rows, unsigned workers, std::uint64_t each);
};

}  // namespace holdfast::loader
