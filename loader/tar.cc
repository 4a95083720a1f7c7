#include "loader/tar.h"

#include <algorithm>
#include <cstring>

#include "base/format.h"
#include "base/text.h"
#include "loader/ragged.h"

namespace holdfast::loader {
namespace {

std::string_view tar_text(std::string_view block, std::size_t at, std::size_t length) {
    const std::string_view field = block.substr(at, length);
    return field.substr(0, field.find('\0'));
}

// Octal with blanks around it, or, for large files, a binary number with the top bit set.
std::optional<std::uint64_t> tar_number(std::string_view field) {
    if (!field.empty() && (static_cast<unsigned char>(field[0]) & 0x80U) != 0) {
        std::uint64_t value = static_cast<unsigned char>(field[0]) & 0x7fU;
        for (const char c : field.substr(1)) {
            if (value >> 55U != 0) return std::nullopt;
            value = value << 8U | static_cast<unsigned char>(c);
        }
        return value;
    }
    const std::string_view digits = trim(field.substr(0, field.find('\0')));
    if (digits.empty()) return 0;
    return parse_number<std::uint64_t>(digits, 8);
}

bool is_picture(std::string_view ending) {
    for (const std::string_view wanted : {"jpg", "jpeg", "png"}) {
        if (ending == wanted) return true;
        if (ending.size() > wanted.size() && ending.ends_with(wanted) &&
            ending[ending.size() - wanted.size() - 1] == '.')
            return true;
    }
    return false;
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

constexpr std::int32_t no_label = -2147483647 - 1;
constexpr std::uint64_t longest_header_text = 64U << 10U;

}  // namespace

Result<TarHeader> parse_tar_header(std::string_view block) {
    if (block.size() != tar_block) return Error{"a tar header that is cut off"};
    TarHeader header;
    if (std::all_of(block.begin(), block.end(), [](char c) { return c == '\0'; })) {
        header.end = true;
        return header;
    }
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < block.size(); ++i)
        sum += i >= 148 && i < 156 ? std::uint64_t{' '}
                                   : std::uint64_t{static_cast<unsigned char>(block[i])};
    const auto said = tar_number(block.substr(148, 8));
    if (!said || *said != sum) return Error{"not a tar header: its checksum is wrong"};
    const auto size = tar_number(block.substr(124, 12));
    if (!size || *size > std::uint64_t{1} << 50U) return Error{"a tar header with an odd size"};
    header.size = *size;
    header.type = block[156] == '\0' ? '0' : block[156];
    header.name = std::string(tar_text(block, 0, 100));
    if (block.substr(257, 5) == "ustar" && block[262] == '\0') {
        const std::string_view prefix = tar_text(block, 345, 155);
        if (!prefix.empty()) header.name = std::string(prefix) + "/" + header.name;
    }
    return header;
}

PaxFields parse_pax(std::string_view text) {
    PaxFields fields;
    while (!text.empty()) {
        const std::size_t blank = text.find(' ');
        if (blank == std::string_view::npos) break;
        const auto length = parse_number<std::size_t>(text.substr(0, blank));
        if (!length || *length <= blank + 1 || *length > text.size()) break;
        std::string_view line = text.substr(blank + 1, *length - blank - 1);
        if (line.ends_with('\n')) line.remove_suffix(1);
        if (line.starts_with("path=")) fields.path = std::string(line.substr(5));
        if (line.starts_with("size=")) fields.size = parse_number<std::uint64_t>(line.substr(5));
        text.remove_prefix(*length);
    }
    return fields;
}

TarKey tar_key(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    const std::size_t dot = name.find('.', slash == std::string_view::npos ? 0 : slash + 1);
    if (dot == std::string_view::npos) return {name, {}};
    return {name.substr(0, dot), name.substr(dot + 1)};
}

bool TarShards::add(const Entry& made) {
    if ((count_ + 1) * sizeof(Entry) > room_.size()) return false;
    entries_[count_++] = made;
    return true;
}

Status TarShards::scan(std::uint32_t number, bool pictures) {
    const Shard& shard = shards_[number];
    const auto here = [&](std::uint64_t at, std::string_view what) {
        return Error{formatted("{} at byte {}: {}", shard.path, at, what)};
    };
    std::string long_name;
    PaxFields pax;
    std::string key;
    Entry sample{0, 0, number, no_label};
    bool open = false;
    bool has_picture = false;
    const auto close = [&]() -> Status {
        if (open && (has_picture || !pictures)) {
            labelled_ = labelled_ && sample.label != no_label;
            if (!add(sample))
                return Error{shard.path + ": the list of samples takes more than the budget"};
        }
        open = false;
        return Done{};
    };
    std::uint64_t at = 0;
    while (at < shard.file.size()) {
        char block[tar_block];
        if (shard.file.size() - at < tar_block) return here(at, "truncated");
        const auto got = shard.file.read_some(at, std::as_writable_bytes(std::span(block)));
        if (!got) return got.error();
        auto header = parse_tar_header({block, static_cast<std::size_t>(*got)});
        if (!header) {
            const bool packed = at == 0 && block[0] == '\x1f';
            return here(at, packed ? std::string_view("compressed; samples in it cannot be found "
                                                      "without unpacking it: unpack it once")
                                   : std::string_view(header.error().text));
        }
        if (header->end) break;
        if (pax.size && header->type != 'x' && header->type != 'L') header->size = *pax.size;
        const std::uint64_t data = at + tar_block;
        if (header->size > shard.file.size() - data)
            return here(at, "truncated in the middle of " + printable(header->name));
        const std::uint64_t next = data + rounded_up(header->size, tar_block);
        if (header->type == 'L' || header->type == 'x') {
            std::string text(std::min(header->size, longest_header_text), '\0');
            if (auto read =
                    shard.file.read(data, std::as_writable_bytes(std::span(text)), PageCache::keep);
                !read)
                return here(data, read.error().text);
            if (header->type == 'L')
                long_name = text.substr(0, text.find('\0'));
            else
                pax = parse_pax(text);
            at = next;
            continue;
        }
        if (header->type == '0' || header->type == '7') {
            const std::string name = pax.path             ? *pax.path
                                     : !long_name.empty() ? long_name
                                                          : header->name;
            const TarKey parts = tar_key(name);
            if (!open || parts.key != key) {
                if (auto done = close(); !done) return done;
                key = parts.key;
                sample = {at, 0, number, no_label};
                open = true;
                has_picture = false;
                hash_ = text_hash(key, hash_);
            }
            const std::string ending = lower(parts.ending);
            if (!pictures) {
                sample.size = next - sample.offset;
            } else if (is_picture(ending) && !has_picture) {
                sample.offset = data;
                sample.size = header->size;
                has_picture = true;
            } else if (ending == "cls") {
                std::string text(std::min<std::uint64_t>(header->size, 32), '\0');
                if (auto read = shard.file.read(data, std::as_writable_bytes(std::span(text)),
                                                PageCache::keep);
                    !read)
                    return here(data, read.error().text);
                const auto value = parse_number<std::int32_t>(trim(text));
                if (!value) return here(at, formatted("{} holds no whole number", printable(name)));
                sample.label = *value;
            }
        }
        long_name.clear();
        pax = {};
        at = std::min(next, shard.file.size());
    }
    return close();
}

Result<std::shared_ptr<TarShards>> TarShards::open(Arena& arena,
                                                   const std::vector<std::string>& paths,
                                                   bool pictures, std::uint64_t rows) {
    auto shards = std::make_shared<TarShards>();
    shards->room_ = arena.reserve(arena.left().count / 2 / cache_line * cache_line);
    shards->entries_ = reinterpret_cast<Entry*>(shards->room_.data());
    for (const std::string& path : paths) {
        auto file = DataFile::open(path);
        if (!file) return file.error();
        shards->shards_.push_back({path, std::move(*file)});
        if (auto done =
                shards->scan(static_cast<std::uint32_t>(shards->shards_.size() - 1), pictures);
            !done)
            return done.error();
    }
    if (shards->count_ == 0)
        return Error{pictures ? "the shards hold no JPEG or PNG images"
                              : "the shards hold no files"};
    arena.shrink_last(shards->room_, shards->count_ * sizeof(Entry));
    LongestFew longest(rows);
    for (std::uint64_t i = 0; i < shards->count_; ++i) longest.add(shards->entries_[i].size);
    shards->longest_batch_ = longest.sum();
    return shards;
}

std::string TarShards::name(std::uint64_t sample) const {
    return formatted("{} at byte {}", shards_[entry(sample).shard].path, entry(sample).offset);
}

std::optional<std::int64_t> TarShards::label(std::uint64_t sample) const {
    if (!labelled_) return std::nullopt;
    return entry(sample).label;
}

std::uint64_t TarShards::fingerprint() const { return text_hash(formatted("{}", count_), hash_); }

namespace {

class TarMembers : public Source {
public:
    TarMembers(std::shared_ptr<TarShards> shards, PageCache cache)
        : shards_(std::move(shards)), cache_(cache) {}
    std::uint64_t count() const override { return shards_->count(); }
    std::string name(std::uint64_t sample) const override { return shards_->name(sample); }
    std::uint64_t fingerprint() const override { return shards_->fingerprint(); }
    RowLayout layout(std::uint64_t rows) const override {
        RowLayout layout;
        layout.ragged_bytes = rows * sizeof(Extent) + shards_->longest_batch();
        return layout;
    }
    void fill(const Part& part, Scratch&, std::vector<Failure>& failures) override {
        RaggedBatch batch(part);
        for (std::size_t i = 0; i < part.samples.size(); ++i) {
            const TarMember member = shards_->member(part.samples[i], 0);
            const std::span<std::byte> to = batch.add(member.size);
            const auto read = shards_->file(part.samples[i]).read(member.offset, to, cache_);
            if (!read)
                failures.push_back({part.first_row + i, part.samples[i],
                                    name(part.samples[i]) + ": " + read.error().text});
        }
    }

private:
    std::shared_ptr<TarShards> shards_;
    PageCache cache_;
};

}  // namespace

Result<std::unique_ptr<Source>> make_tar_members(std::shared_ptr<TarShards> shards,
                                                 PageCache cache) {
    return std::unique_ptr<Source>(std::make_unique<TarMembers>(std::move(shards), cache));
}

}  // namespace holdfast::loader
