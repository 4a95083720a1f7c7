#include "loader/file_index.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "base/pipe.h"
#include "base/unique_fd.h"
#include "loader/order.h"

namespace holdfast::loader {
namespace {

constexpr char magic[8] = {'H', 'F', 'I', 'N', 'D', 'E', 'X', '1'};
constexpr std::uint64_t longest_table = std::uint64_t{1} << 30U;

struct Head {
    char magic[8];
    std::uint64_t key;
    std::uint64_t files;
    std::uint64_t names;  // bytes
    std::uint64_t folders;
    std::uint64_t walked;
    std::uint64_t table;  // bytes
    std::uint64_t fingerprint;
    std::uint64_t checksum;  // of the fields before it and of all bytes after the head
};
static_assert(sizeof(Head) == 72);

// For many megabytes at a time: four words per step, whose sums do not depend on each other.
std::uint64_t block_sum(std::span<const std::byte> bytes, std::uint64_t before) {
    constexpr std::size_t words = 4;
    std::uint64_t sums[words] = {before, before + 1, before + 2, before + 3};
    std::size_t at = 0;
    for (; at + 8 * words <= bytes.size(); at += 8 * words)
        for (std::size_t i = 0; i < words; ++i) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes.data() + at + 8 * i, 8);
            sums[i] = (sums[i] ^ word) * 0x9e3779b97f4a7c15U;
            sums[i] ^= sums[i] >> 29U;
        }
    const std::uint64_t sum = mixed(mixed(sums[0], sums[1]), sums[2], sums[3]);
    std::uint64_t rest = bytes.size();
    for (; at < bytes.size(); ++at) rest = rest * 257 + static_cast<std::uint64_t>(bytes[at]);
    return mixed(sum, rest);
}

std::uint64_t sum_of(const Head& head, std::span<const std::byte> table,
                     std::span<const std::byte> image) {
    const auto before = std::as_bytes(std::span(&head, 1)).first(offsetof(Head, checksum));
    return block_sum(image, block_sum(table, block_sum(before, head.key)));
}

void put(std::string& table, std::string_view text) {
    const auto size = static_cast<std::uint32_t>(text.size());
    table.append(reinterpret_cast<const char*>(&size), sizeof size);
    table += text;
}

template <class Number>
void put_number(std::string& table, Number number) {
    table.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Reads the table; returns nothing if any part does not fit.
class TableReader {
public:
    explicit TableReader(std::string_view table) : left_(table) {}

    template <class Number>
    std::optional<Number> number() {
        Number value{};
        if (left_.size() < sizeof value) return std::nullopt;
        std::memcpy(&value, left_.data(), sizeof value);
        left_.remove_prefix(sizeof value);
        return value;
    }
    std::optional<std::string> text() {
        const auto size = number<std::uint32_t>();
        if (!size || *size > left_.size()) return std::nullopt;
        std::string found(left_.substr(0, *size));
        left_.remove_prefix(*size);
        return found;
    }

private:
    std::string_view left_;
};

bool read_all(int fd, std::uint64_t offset, std::span<std::byte> into) {
    while (!into.empty()) {
        const ssize_t got = ::pread(fd, into.data(), into.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        offset += static_cast<std::uint64_t>(got);
        into = into.subspan(static_cast<std::size_t>(got));
    }
    return true;
}

std::string table_of(const FileList& files) {
    std::string table;
    for (const FileList::Folder& folder : files.folders()) {
        put(table, folder.path);
        put(table, folder.class_name);
    }
    for (const FileList::Walked& folder : files.walked()) {
        put(table, folder.path);
        put_number(table, folder.modified);
        put_number(table, folder.inode);
    }
    return table;
}

std::optional<FileList::Image> image_of(const Head& head, std::string_view table) {
    FileList::Image image;
    image.files = head.files;
    image.names = head.names;
    image.fingerprint = head.fingerprint;
    TableReader reader(table);
    for (std::uint64_t i = 0; i < head.folders; ++i) {
        auto path = reader.text();
        auto class_name = reader.text();
        if (!path || !class_name) return std::nullopt;
        image.folders.push_back({std::move(*path), std::move(*class_name), 0});
    }
    for (std::uint64_t i = 0; i < head.walked; ++i) {
        auto path = reader.text();
        const auto modified = reader.number<std::int64_t>();
        const auto inode = reader.number<std::uint64_t>();
        if (!path || !modified || !inode) return std::nullopt;
        image.walked.push_back({std::move(*path), *modified, *inode});
    }
    return image;
}

// Makes pages that are about to be written present, all at once: one by one they cost as much as
// reading the file. Kernels before 5.14 do not know the call; then each page comes when written.
void present(std::span<std::byte> room) {
    constexpr int populate_write = 23;  // MADV_POPULATE_WRITE, which older headers lack
    constexpr std::uintptr_t page = 4096;
    const auto begin = reinterpret_cast<std::uintptr_t>(room.data()) / page * page;
    const auto end = reinterpret_cast<std::uintptr_t>(room.data() + room.size());
    ::madvise(reinterpret_cast<void*>(begin), end - begin, populate_write);
}

bool as_it_was(const FileList::Walked& folder) {
    return folder.modified != 0 && folder == FileList::Walked::now(folder.path);
}

}  // namespace

Result<IndexState> load_index(const std::string& path, std::uint64_t key, FileList& files) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        if (errno == ENOENT) return IndexState::absent;
        return Error::from_errno(path);
    }
    struct stat facts {};
    Head head{};
    if (::fstat(fd.get(), &facts) != 0) return Error::from_errno(path);
    if (facts.st_size == 0) return IndexState::absent;
    if (!S_ISREG(facts.st_mode) ||
        !read_all(fd.get(), 0, std::as_writable_bytes(std::span(&head, 1))) ||
        std::memcmp(head.magic, magic, sizeof magic) != 0)
        return Error{path + ": this file is no index of Holdfast's; name another one"};
    const auto size = static_cast<std::uint64_t>(facts.st_size) - sizeof head;
    const std::uint64_t image_bytes = FileList::image_bytes(head.files, head.names);
    if (head.key != key || head.table > longest_table || head.names > 0xffffffffU ||
        head.files > head.names || head.table > size || size - head.table != image_bytes)
        return IndexState::stale;
    std::string table(head.table, '\0');
    const auto table_bytes = std::as_writable_bytes(std::span(table));
    if (!read_all(fd.get(), sizeof head, table_bytes)) return IndexState::stale;
    auto image = image_of(head, table);
    if (!image) return IndexState::stale;
    for (const FileList::Walked& folder : image->walked)
        if (!as_it_was(folder)) return IndexState::stale;
    const std::span<std::byte> room = files.room_for(image_bytes);
    if (room.empty()) return files.full();
    present(room);
    if (!read_all(fd.get(), sizeof head + head.table, room)) return IndexState::stale;
    if (sum_of(head, table_bytes, room) != head.checksum) return IndexState::stale;
    return files.take(std::move(*image)) ? IndexState::used : IndexState::stale;
}

void seal_index(std::span<std::byte> whole) {
    Head head{};
    if (whole.size() < sizeof head) return;
    std::memcpy(&head, whole.data(), sizeof head);
    const std::span<std::byte> rest = whole.subspan(sizeof head);
    const std::size_t table = std::min<std::uint64_t>(head.table, rest.size());
    head.checksum = sum_of(head, rest.first(table), rest.subspan(table));
    std::memcpy(whole.data(), &head, sizeof head);
}

Status save_index(const std::string& path, std::uint64_t key, const FileList& files) {
    const std::string table = table_of(files);
    const std::span<const std::byte> image = files.image();
    Head head{};
    std::memcpy(head.magic, magic, sizeof magic);
    head.key = key;
    head.files = files.count();
    head.names = files.names();
    head.folders = files.folders().size();
    head.walked = files.walked().size();
    head.table = table.size();
    head.fingerprint = files.fingerprint();
    head.checksum = sum_of(head, std::as_bytes(std::span(table)), image);
    // Two ranks may write at once: each writes its own file, and the last rename wins.
    const std::string beside = formatted("{}.{}", path, ::getpid());
    UniqueFd fd(::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd) return Error::from_errno(path);
    const bool written =
        write_all(fd.get(), {reinterpret_cast<const char*>(&head), sizeof head}) &&
        write_all(fd.get(), table) &&
        write_all(fd.get(), {reinterpret_cast<const char*>(image.data()), image.size()}) &&
        ::close(fd.release()) == 0 && ::rename(beside.c_str(), path.c_str()) == 0;
    if (written) return Done{};
    const Error error = Error::from_errno(path);
    ::unlink(beside.c_str());
    return error;
}

}  // namespace holdfast::loader
