#include "loader/records.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "loader/npy.h"

namespace holdfast::loader {
namespace {

constexpr std::uint64_t npy_front = 64U << 10U;

std::string shape_words(const std::vector<std::uint64_t>& shape) {
    std::string text = "(";
    for (const std::uint64_t n : shape) text += (text.size() > 1 ? ", " : "") + formatted("{}", n);
    return text + ")";
}

class Records : public Source {
public:
    Records(std::vector<RecordArray> arrays, PageCache cache)
        : arrays_(std::move(arrays)), cache_(cache) {}

    std::uint64_t count() const override { return arrays_.front().count; }

    RowLayout layout(std::uint64_t) const override {
        RowLayout layout;
        for (const RecordArray& array : arrays_) layout.fields.push_back(array.field);
        return layout;
    }

    std::string name(std::uint64_t sample) const override {
        const RecordArray::Piece& piece = piece_of(arrays_.front(), sample);
        return formatted("{}[{}]", piece.path, sample - piece.first);
    }

    std::uint64_t fingerprint() const override {
        std::uint64_t hash = count();
        for (const RecordArray& array : arrays_) {
            hash = text_hash(array.field.dtype + shape_words(array.field.shape), hash);
            for (const auto& piece : array.pieces)
                hash = text_hash(formatted("{}", piece.count), hash);
        }
        return hash;
    }

    std::uint64_t part_size(std::uint64_t rows, unsigned workers) const override {
        std::uint64_t each = 0;
        for (const RecordArray& array : arrays_) each += array.field.sample_bytes;
        return part_of_bytes(rows, workers, each);
    }

    void fill(const Part& part, Scratch&, std::vector<Failure>& failures) override {
        for (std::size_t a = 0; a < arrays_.size(); ++a) fill_array(part, a, failures);
    }

private:
    static const RecordArray::Piece& piece_of(const RecordArray& array, std::uint64_t sample) {
        const auto after = std::upper_bound(
            array.pieces.begin(), array.pieces.end(), sample,
            [](std::uint64_t s, const RecordArray::Piece& piece) { return s < piece.first; });
        return *(after - 1);
    }

    void fill_array(const Part& part, std::size_t a, std::vector<Failure>& failures) const {
        const RecordArray& array = arrays_[a];
        const std::uint64_t size = array.field.sample_bytes;
        std::byte* to = part.batch + part.offsets[a] + part.first_row * size;
        for (std::size_t i = 0; i < part.samples.size();) {
            const std::uint64_t sample = part.samples[i];
            const RecordArray::Piece& piece = piece_of(array, sample);
            // Neighbours in the file that are neighbours in the batch need one read.
            std::size_t run = 1;
            while (i + run < part.samples.size() && part.samples[i + run] == sample + run &&
                   sample + run < piece.first + piece.count)
                ++run;
            const auto read =
                piece.file.read(piece.data_offset + (sample - piece.first) * size,
                                {to + i * size, static_cast<std::size_t>(run * size)}, cache_);
            for (std::size_t bad = 0; !read && bad < run; ++bad)
                failures.push_back({part.first_row + i + bad, sample + bad,
                                    formatted("{}[{}]: {}", piece.path, sample + bad - piece.first,
                                              read.error().text)});
            i += run;
        }
    }

    std::vector<RecordArray> arrays_;
    PageCache cache_;
};

}  // namespace

Result<RecordArray> open_records(const std::vector<std::string>& paths, const RawShape* raw) {
    RecordArray array;
    for (const std::string& path : paths) {
        auto file = DataFile::open(path);
        if (!file) return file.error();
        RecordArray::Piece piece;
        std::string dtype;
        std::vector<std::uint64_t> shape;
        if (raw != nullptr) {
            const auto bytes = dtype_bytes(raw->dtype);
            if (!bytes) return bytes.error();
            std::uint64_t sample = *bytes;
            for (const std::uint64_t n : raw->shape) sample *= n;
            if (sample == 0) return Error{path + ": a sample of 0 bytes"};
            if (raw->offset > file->size() || (file->size() - raw->offset) % sample != 0)
                return Error{formatted("{}: {} bytes are no whole number of samples of {} bytes",
                                       path, file->size(), sample)};
            piece.count = (file->size() - raw->offset) / sample;
            piece.data_offset = raw->offset;
            dtype = raw->dtype;
            shape = raw->shape;
        } else {
            std::string front(std::min(npy_front, file->size()), '\0');
            const auto got = file->read_some(0, std::as_writable_bytes(std::span(front)));
            if (!got) return got.error();
            auto npy = parse_npy(std::string_view(front).substr(0, *got));
            if (!npy) return std::move(npy).context(path).error();
            if (npy->shape.empty()) return Error{path + ": a single number, not a set of samples"};
            piece.count = npy->shape.front();
            piece.data_offset = npy->data_offset;
            dtype = npy->dtype;
            shape.assign(npy->shape.begin() + 1, npy->shape.end());
            std::uint64_t bytes = npy->item_bytes * piece.count;
            for (const std::uint64_t n : shape) bytes *= n;
            if (bytes > file->size() - std::min(file->size(), npy->data_offset))
                return Error{
                    formatted("{}: truncated; the header tells of {} bytes, the file has {}", path,
                              npy->data_offset + bytes, file->size())};
        }
        if (array.pieces.empty()) {
            array.field.dtype = dtype;
            array.field.shape = shape;
            const auto bytes = dtype_bytes(dtype);
            array.field.sample_bytes = *bytes;
            for (const std::uint64_t n : shape) array.field.sample_bytes *= n;
        } else if (dtype != array.field.dtype || shape != array.field.shape) {
            return Error{formatted("{}: samples are {} {}, those of {} are {} {}", path, dtype,
                                   shape_words(shape), array.pieces.front().path, array.field.dtype,
                                   shape_words(array.field.shape))};
        }
        piece.path = path;
        piece.first = array.count;
        piece.file = std::move(*file);
        array.count += piece.count;
        if (piece.count > 0) array.pieces.push_back(std::move(piece));
    }
    return array;
}

Result<std::unique_ptr<Source>> make_records(std::vector<RecordArray> arrays, PageCache cache) {
    if (arrays.empty()) return Error{"no files were given"};
    for (const RecordArray& array : arrays)
        if (array.count != arrays.front().count)
            return Error{
                formatted("the arrays have {} and {} samples", arrays.front().count, array.count)};
    if (arrays.front().count == 0) return Error{"the arrays have no samples"};
    for (RecordArray& array : arrays)
        array.field.name = formatted("{}", static_cast<std::uint64_t>(&array - arrays.data()));
    return std::unique_ptr<Source>(std::make_unique<Records>(std::move(arrays), cache));
}

}  // namespace holdfast::loader
