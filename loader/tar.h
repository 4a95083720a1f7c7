// Tar shards in WebDataset's layout: the files of one sample follow each other and share their name
// up to the first dot.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loader/arena.h"
#include "loader/data_file.h"
#include "loader/source.h"

namespace holdfast::loader {

struct TarHeader {
    std::string name;
    std::uint64_t size = 0;
    char type = '0';
    bool end = false;  // a block of zeros
};

inline constexpr std::uint64_t tar_block = 512;

// One block of 512 bytes.
Result<TarHeader> parse_tar_header(std::string_view block);
// `path=` and `size=` of a pax header, if it has them.
struct PaxFields {
    std::optional<std::string> path;
    std::optional<std::uint64_t> size;
};
PaxFields parse_pax(std::string_view text);
// "a/b.c.jpg" -> {"a/b", "c.jpg"}.
struct TarKey {
    std::string_view key;
    std::string_view ending;
};
TarKey tar_key(std::string_view name);

struct TarMember {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
};

class TarShards {
public:
    // `pictures`: a sample is its image and the number in its .cls; else all its members with their
    // headers, as they are in the file. The list of samples is kept in the arena.
    static Result<std::shared_ptr<TarShards>> open(Arena& arena,
                                                   const std::vector<std::string>& paths,
                                                   bool pictures, std::uint64_t rows);

    std::uint64_t count() const { return count_; }
    std::string name(std::uint64_t sample) const;
    const DataFile& file(std::uint64_t sample) const { return shards_[entry(sample).shard].file; }
    TarMember member(std::uint64_t sample, int) const {
        return {entry(sample).offset, entry(sample).size};
    }
    std::optional<std::int64_t> label(std::uint64_t sample) const;
    std::uint64_t fingerprint() const;
    // The sum of the longest samples of a batch.
    std::uint64_t longest_batch() const { return longest_batch_; }

private:
    struct Shard {
        std::string path;
        DataFile file;
    };
    struct Entry {
        std::uint64_t offset;
        std::uint64_t size;
        std::uint32_t shard;
        std::int32_t label;
    };

    Status scan(std::uint32_t number, bool pictures);
    bool add(const Entry& made);
    Entry& entry(std::uint64_t sample) const { return entries_[sample]; }

    std::vector<Shard> shards_;
    std::span<std::byte> room_;
    Entry* entries_ = nullptr;
    std::uint64_t count_ = 0;
    std::uint64_t longest_batch_ = 0;
    bool labelled_ = true;
    std::uint64_t hash_ = 0;
};

Result<std::unique_ptr<Source>> make_tar_members(std::shared_ptr<TarShards> shards,
                                                 PageCache cache);

}  // namespace holdfast::loader
