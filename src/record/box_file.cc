#include "record/box_file.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/checksum.h"
#include "base/text.h"
#include "base/time.h"

namespace holdfast {
namespace {

// "01234567-89ab-..." as 16 bytes. Skips what is not hexadecimal; missing digits are zero.
void parse_boot_id(std::string_view text, unsigned char (&bytes)[16]) {
    std::size_t digits = 0;
    for (const char c : text) {
        const auto digit = parse_number<unsigned>(std::string_view(&c, 1), 16);
        if (!digit) continue;
        if (digits == 2 * sizeof(bytes)) return;
        unsigned char& byte = bytes[digits / 2];
        byte = static_cast<unsigned char>(digits % 2 == 0 ? *digit << 4U : byte | *digit);
        ++digits;
    }
}

}  // namespace

Result<MappedFile> make_box(const RunDirectory* directory, const char* name, format::BoxKind kind,
                            std::size_t size, std::span<const format::Section> sections,
                            const BoxOrigin& origin) {
    Result<MappedFile> file = directory != nullptr ? MappedFile::create(directory->fd(), name, size)
                                                   : MappedFile::anonymous(name, size);
    if (!file) return file;

    format::FileHeader header{};
    std::memcpy(header.magic, format::magic, sizeof(header.magic));
    header.version = format::version;
    header.kind = kind;
    header.file_size = size;
    parse_boot_id(origin.boot_id, header.boot_id);
    header.writer_pid = origin.pid;
    header.writer_start_ticks = origin.start_ticks;
    header.created = monotonic_now().count();
    header.created_wall = wall_now().count();
    header.section_count = static_cast<std::uint32_t>(sections.size());
    std::copy(sections.begin(), sections.end(), header.sections);
    const auto bytes = std::as_bytes(std::span(&header, 1));
    header.checksum = crc32c(bytes.first(offsetof(format::FileHeader, checksum)));
    std::memcpy(file->bytes().data(), &header, sizeof(header));
    return file;
}

}  // namespace holdfast
