#include "loader/images.h"

#include <algorithm>
#include <cstring>

#include "base/format.h"

namespace holdfast::loader {
namespace {

constexpr std::uint64_t looked_at = 9;  // images that are measured before the first batch

class FolderPlaces : public ImagePlaces {
public:
    FolderPlaces(FileList files, bool labelled) : files_(std::move(files)), labelled_(labelled) {}
    std::uint64_t count() const override { return files_.count(); }
    std::string name(std::uint64_t sample) const override { return files_.path(sample); }
    Result<Place> open(std::uint64_t sample) const override {
        auto file = DataFile::open(files_.path(sample));
        if (!file) return file.error();
        const std::uint64_t size = file->size();
        return Place{std::move(*file), nullptr, {0, size}};
    }
    std::uint64_t fingerprint() const override { return files_.fingerprint(); }
    std::vector<std::string> classes() const override {
        return labelled_ ? files_.classes() : std::vector<std::string>{};
    }
    std::optional<std::int64_t> label(std::uint64_t sample) const override {
        if (!labelled_) return std::nullopt;
        return files_.class_of(sample);
    }

private:
    FileList files_;
    bool labelled_;
};

class ShardPlaces : public ImagePlaces {
public:
    explicit ShardPlaces(std::shared_ptr<TarShards> shards) : shards_(std::move(shards)) {}
    std::uint64_t count() const override { return shards_->count(); }
    std::string name(std::uint64_t sample) const override { return shards_->name(sample); }
    Result<Place> open(std::uint64_t sample) const override {
        const TarMember member = shards_->member(sample, 0);
        return Place{{}, &shards_->file(sample), {member.offset, member.size}};
    }
    std::uint64_t fingerprint() const override { return shards_->fingerprint(); }
    std::vector<std::string> classes() const override { return {}; }
    std::optional<std::int64_t> label(std::uint64_t sample) const override {
        return shards_->label(sample);
    }

private:
    std::shared_ptr<TarShards> shards_;
};

std::string size_words(ImageSize size) { return formatted("{} x {}", size.width, size.height); }

// A generous bound for what libjpeg, zlib and the scaler need for an image of this size. A
// progressive JPEG keeps every coefficient, two bytes each.
std::uint64_t scratch_for(ImageSize size, bool progressive) {
    const std::uint64_t rows = std::uint64_t{size.width} * 3 * 64;
    const std::uint64_t all = progressive ? std::uint64_t{size.width} * size.height * 6 : 0;
    return (640U << 10U) + rows + all;
}

class Images : public Source {
public:
    Images(std::unique_ptr<ImagePlaces> places, const PictureOptions& options, Labels labels,
           bool as_they_are, std::uint64_t largest, PageCache cache)
        : places_(std::move(places)),
          options_(options),
          levels_(options),
          labels_(std::move(labels)),
          as_they_are_(as_they_are),
          largest_(largest),
          cache_(cache) {}

    // Measures a few images, to know what a worker needs.
    Status measure() {
        std::vector<std::byte> room(1U << 20U);
        const std::uint64_t n = places_->count();
        std::string first_problem;
        for (std::uint64_t i = 0; i < std::min(n, looked_at); ++i) {
            const std::uint64_t sample = n <= looked_at ? i : i * (n - 1) / (looked_at - 1);
            Scratch scratch(room);
            SizeReader reader;
            const auto bad = look(sample, scratch, reader);
            if (reader.size.height == 0) {
                if (first_problem.empty() && bad)
                    first_problem = places_->name(sample) + ": " + *bad;
                continue;
            }
            if (expected_.height == 0) expected_ = reader.size;
            widest_.height = std::max(widest_.height, reader.size.height);
            widest_.width = std::max(widest_.width, reader.size.width);
        }
        if (expected_.height == 0) return Error{first_problem};
        if (largest_ == 0)
            largest_ = std::uint64_t{widest_.height} * widest_.width * options_.channels * 2;
        return Done{};
    }

    std::uint64_t count() const override { return places_->count(); }
    std::string name(std::uint64_t sample) const override { return places_->name(sample); }
    std::vector<std::string> classes() const override { return places_->classes(); }
    std::uint64_t fingerprint() const override { return places_->fingerprint(); }

    RowLayout layout(std::uint64_t rows) const override {
        RowLayout layout;
        layout.scratch = scratch_for(widest_, false);
        layout.large = scratch_for(widest_, true) * 2;
        if (as_they_are_) {
            layout.ragged_bytes = rows * (sizeof(Extent) + picture_head + rounded_up(largest_, 16));
            return layout;
        }
        layout.fields.push_back(
            options_.field(options_.size.height == 0 ? expected_ : options_.size));
        if (labels_.field.sample_bytes > 0)
            layout.fields.push_back(labels_.field);
        else if (places_->label(0))
            layout.fields.push_back({"label", "<i8", {}, 8});
        return layout;
    }

    std::string label_in_head() const override {
        if (!as_they_are_) return {};
        if (labels_.field.sample_bytes > 0) return labels_.field.dtype;
        return places_->label(0) ? "<i8" : "";
    }

    std::uint64_t part_size(std::uint64_t rows, unsigned workers) const override {
        return std::clamp<std::uint64_t>(rows / (2 * std::max(1U, workers)), 1, 4);
    }

    void fill(const Part& part, Scratch& scratch, std::vector<Failure>& failures) override {
        for (std::size_t i = 0; i < part.samples.size(); ++i) {
            const std::uint64_t sample = part.samples[i];
            const std::uint64_t row = part.first_row + i;
            scratch.empty();
            std::optional<BadImage> bad = as_they_are_ ? fill_as_it_is(part, row, sample, scratch)
                                                       : fill_picture(part, row, sample, scratch);
            if (bad)
                failures.push_back(
                    {row, sample, places_->name(sample) + ": " + bad->text, bad->wants_room});
            else if (!as_they_are_)
                fill_label(part, row, sample);
        }
    }

private:
    static constexpr std::uint64_t picture_head = 32;

    std::optional<std::string> look(std::uint64_t sample, Scratch& scratch,
                                    RowTaker& reader) const {
        const auto place = places_->open(sample);
        if (!place) return reason(place.error());
        ByteStream stream(place->file(), place->extent, PageCache::keep);
        const auto bad = decode_image(stream, scratch, options_.channels, reader);
        return bad ? std::optional(bad->text) : std::nullopt;
    }

    std::optional<BadImage> fill_picture(const Part& part, std::uint64_t row, std::uint64_t sample,
                                         Scratch& scratch) const {
        const auto place = places_->open(sample);
        if (!place) return BadImage{reason(place.error())};
        ByteStream stream(place->file(), place->extent, cache_);
        const ImageSize made = options_.size.height == 0 ? expected_ : options_.size;
        const std::uint64_t bytes =
            std::uint64_t{made.height} * made.width * options_.channels * options_.number_bytes();
        PictureMaker maker(options_, levels_, expected_,
                           SampleRandom(part.seed, part.epoch, sample),
                           part.batch + part.offsets[0] + row * bytes);
        auto bad = decode_image(stream, scratch, options_.channels, maker);
        if (maker.odd())
            return BadImage{
                formatted("{} pixels, where the first image has {}; give a size, or a map "
                          "that makes them equal",
                          size_words(*maker.odd()), size_words(expected_))};
        return say_need(std::move(bad), scratch);
    }

    // The only sample of its batch, unchanged after decoding.
    std::optional<BadImage> fill_as_it_is(const Part& part, std::uint64_t row, std::uint64_t sample,
                                          Scratch& scratch) const {
        const auto place = places_->open(sample);
        if (!place) return BadImage{reason(place.error())};
        SizeReader reader;
        {
            ByteStream stream(place->file(), place->extent, PageCache::keep);
            auto bad = decode_image(stream, scratch, options_.channels, reader);
            if (reader.size.height == 0) return say_need(std::move(bad), scratch);
        }
        const ImageSize size = reader.size;
        const std::uint64_t bytes = std::uint64_t{size.height} * size.width * options_.channels;
        if (bytes > largest_)
            return BadImage{formatted(
                "{} pixels take {}, more than the {} that a sample may have; give "
                "largest=\"{}MiB\" or more",
                size_words(size), human(Bytes{bytes}), human(Bytes{largest_}), (bytes >> 20U) + 1)};
        const std::uint64_t at = sizeof(Extent);
        const std::uint32_t head[4] = {size.height, size.width, options_.channels, 0};
        std::memcpy(part.batch + at, head, sizeof head);
        write_label(part.batch + at + sizeof head, sample);
        const Extent extent{at, picture_head + bytes};
        std::memcpy(part.batch + row * sizeof(Extent), &extent, sizeof extent);
        PictureOptions plain;
        plain.channels = options_.channels;
        scratch.empty();
        ByteStream stream(place->file(), place->extent, cache_);
        PictureMaker maker(plain, levels_, size, SampleRandom(0, 0, 0),
                           part.batch + at + picture_head);
        return say_need(decode_image(stream, scratch, options_.channels, maker), scratch);
    }

    static std::string reason(const Error& error) {
        const std::size_t colon = error.text.rfind(": ");
        return colon == std::string::npos ? error.text : error.text.substr(colon + 2);
    }

    std::optional<BadImage> say_need(std::optional<BadImage> bad, const Scratch& scratch) const {
        if (bad && bad->wants_room)
            bad->text = formatted(
                "decoding it needs more than the {} that the budget leaves for it; "
                "give a larger budget",
                human(Bytes{scratch.size()}));
        return bad;
    }

    void fill_label(const Part& part, std::uint64_t row, std::uint64_t sample) const {
        if (part.offsets.size() < 2) return;
        const std::uint64_t size = labels_.field.sample_bytes > 0 ? labels_.field.sample_bytes : 8;
        write_label(part.batch + part.offsets[1] + row * size, sample);
    }

    void write_label(std::byte* to, std::uint64_t sample) const {
        if (const std::uint64_t size = labels_.field.sample_bytes; size > 0) {
            std::memcpy(to, labels_.rows.data() + sample * size, size);
        } else {
            const std::int64_t label = places_->label(sample).value_or(-1);
            std::memcpy(to, &label, sizeof label);
        }
    }

    std::unique_ptr<ImagePlaces> places_;
    PictureOptions options_;
    Levels levels_;
    Labels labels_;
    bool as_they_are_;
    std::uint64_t largest_;
    PageCache cache_;
    ImageSize expected_;
    ImageSize widest_;
};

}  // namespace

std::unique_ptr<ImagePlaces> places_in(FileList files, bool labelled) {
    return std::make_unique<FolderPlaces>(std::move(files), labelled);
}

std::unique_ptr<ImagePlaces> places_in(std::shared_ptr<TarShards> shards) {
    return std::make_unique<ShardPlaces>(std::move(shards));
}

Result<std::unique_ptr<Source>> make_images(std::unique_ptr<ImagePlaces> places,
                                            const PictureOptions& options, Labels labels,
                                            bool as_they_are, std::uint64_t largest,
                                            PageCache cache) {
    auto images = std::make_unique<Images>(std::move(places), options, std::move(labels),
                                           as_they_are, largest, cache);
    if (auto measured = images->measure(); !measured) return measured.error();
    return std::unique_ptr<Source>(std::move(images));
}

}  // namespace holdfast::loader
