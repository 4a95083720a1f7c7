// Images: files of a folder, or members of shards, decoded into pictures of one size.
#pragma once

#include <memory>

#include "loader/file_list.h"
#include "loader/picture.h"
#include "loader/tar.h"

namespace holdfast::loader {

// Labels that the program brought: one row for each sample, in the arena.
struct Labels {
    Field field;
    std::span<const std::byte> rows;
};

// Where the bytes of each sample lie.
class ImagePlaces {
public:
    struct Place {
        DataFile own;            // a file of a folder is opened for its sample alone
        const DataFile* shared;  // a shard stays open
        Extent extent;
        const DataFile& file() const { return shared != nullptr ? *shared : own; }
    };
    virtual ~ImagePlaces() = default;
    virtual std::uint64_t count() const = 0;
    virtual std::string name(std::uint64_t sample) const = 0;
    virtual Result<Place> open(std::uint64_t sample) const = 0;
    virtual std::uint64_t fingerprint() const = 0;
    virtual std::vector<std::string> classes() const = 0;
    // Nothing if these places carry no labels.
    virtual std::optional<std::int64_t> label(std::uint64_t sample) const = 0;
};

std::unique_ptr<ImagePlaces> places_in(FileList files, bool labelled);
std::unique_ptr<ImagePlaces> places_in(std::shared_ptr<TarShards> shards);

// `as_they_are`: each sample in its own size, as bytes after a head of 32 bytes: three numbers of
// 32 bits (height, width, channels), an unused fourth, then the label, of at most 8 bytes.
Result<std::unique_ptr<Source>> make_images(std::unique_ptr<ImagePlaces> places,
                                            const PictureOptions& options, Labels labels,
                                            bool as_they_are, std::uint64_t largest,
                                            PageCache cache);

}  // namespace holdfast::loader
