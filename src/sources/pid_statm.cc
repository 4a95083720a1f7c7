#include "sources/pid_statm.h"

#include <array>

#include "base/text.h"
#include "sources/fields.h"
#include "sources/live_file.h"

namespace holdfast::sources {

Result<PidStatm> parse_pid_statm(std::string_view text, Bytes page) {
    std::array<Bytes, 3> sizes;
    for (Bytes& size : sizes) {
        const auto word = next_word(text);
        const auto number = word ? parse_number<std::uint64_t>(*word) : std::nullopt;
        const auto bytes = number ? pages(*number, page) : std::nullopt;
        if (!bytes) return Error{"/proc/PID/statm makes no sense", 0};
        size = *bytes;
    }
    return PidStatm{sizes[0], sizes[1], sizes[2]};
}

Result<PidStatm> read_pid_statm(int process_dir) {
    const auto file = LiveFile::open(process_dir, "statm");
    if (!file) return file.error();
    std::array<char, 256> buffer;
    const auto text = file->read(buffer);
    if (!text) return text.error();
    return parse_pid_statm(*text);
}

}  // namespace holdfast::sources
