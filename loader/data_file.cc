#include "loader/data_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "base/format.h"
#include "loader/order.h"

namespace holdfast::loader {
namespace {

constexpr std::uint64_t most_pages_kept = 4U << 20U;

}  // namespace

Result<DataFile> DataFile::open(const std::string& path) {
    DataFile file;
    // Must not block on a pipe in the folder.
    file.fd_.reset(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.fd_) return Error::from_errno(path);
    struct stat facts {};
    if (::fstat(file.fd_.get(), &facts) != 0) return Error::from_errno(path);
    if (!S_ISREG(facts.st_mode)) return Error{path + ": not a regular file"};
    file.size_ = static_cast<std::uint64_t>(facts.st_size);
    return file;
}

Result<std::uint64_t> DataFile::read_some(std::uint64_t offset, std::span<std::byte> into) const {
    std::uint64_t got = 0;
    while (got < into.size()) {
        const ssize_t n = ::pread(fd_.get(), into.data() + got, into.size() - got,
                                  static_cast<off_t>(offset + got));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return Error::from_errno("reading");
        if (n == 0) break;
        got += static_cast<std::uint64_t>(n);
    }
    return got;
}

Status DataFile::read(std::uint64_t offset, std::span<std::byte> into, PageCache cache) const {
    const auto got = read_some(offset, into);
    if (!got) return got.error();
    if (*got < into.size())
        return Error{formatted("the file ends at byte {}; it was {} bytes long when it was opened",
                               offset + *got, size_)};
    if (cache == PageCache::drop) forget(into.size());
    return Done{};
}

void DataFile::forget(std::uint64_t bytes) const {
    const std::atomic_ref<std::uint64_t> kept(kept_);
    const std::uint64_t now = kept.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (now < std::min(size_, most_pages_kept)) return;
    kept.store(0, std::memory_order_relaxed);
    ::posix_fadvise(fd_.get(), 0, 0, POSIX_FADV_DONTNEED);
}

std::uint64_t text_hash(std::string_view text, std::uint64_t before) {
    std::uint64_t hash = before ^ 0xcbf29ce484222325U;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return mixed(hash, text.size());
}

}  // namespace holdfast::loader
