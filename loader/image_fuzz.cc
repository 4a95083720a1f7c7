// Any bytes as an image file, decoded and resized in a scratch that is too small for some.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "loader/picture.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace holdfast::loader;
    static const int fd = static_cast<int>(::syscall(SYS_memfd_create, "image", 0U));
    if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, data, size, 0) != static_cast<ssize_t>(size))
        return 0;
    const auto file = DataFile::open("/proc/self/fd/" + std::to_string(fd));
    if (!file) return 0;
    PictureOptions options;
    options.size = {16, 24};
    options.crop = size % 2 == 0 ? Crop::random : Crop::stretch;
    const Levels levels(options);
    static std::vector<std::byte> room(1U << 20U);
    Scratch scratch(room);
    std::vector<std::byte> out(16 * 24 * 3);
    PictureMaker maker(options, levels, {}, SampleRandom(1, 2, size), out.data());
    ByteStream stream(*file, {0, file->size()}, PageCache::keep);
    static_cast<void>(decode_image(stream, scratch, 3, maker));
    return 0;
}
