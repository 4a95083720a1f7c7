// Any bytes as an index of files, with a correct sum: an accepted index can be used.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "loader/file_index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::loader;
    static const int fd = static_cast<int>(::syscall(SYS_memfd_create, "index", 0U));
    static const std::string path = "/proc/self/fd/" + std::to_string(fd);
    std::vector<std::byte> bytes(size);
    if (size > 0) std::memcpy(bytes.data(), data, size);
    seal_index(bytes);
    if (::ftruncate(fd, 0) != 0 ||
        ::pwrite(fd, bytes.data(), size, 0) != static_cast<ssize_t>(size))
        return 0;
    std::uint64_t key = 0;  // loaded by the key that it has
    if (size >= 16) std::memcpy(&key, data + 8, sizeof key);
    auto arena = Arena::make(holdfast::Bytes::mib(1), false);
    if (!arena) return 0;
    FileList files(*arena);
    const auto found = load_index(path, key, files);
    if (!found || *found != IndexState::used) return 0;
    for (std::uint64_t i = 0; i < files.count(); ++i)
        if (files.path(i).size() < files.name(i).size() ||
            files.class_of(i) >= files.classes().size())
            std::abort();
    return 0;
}
