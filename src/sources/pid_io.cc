#include "sources/pid_io.h"

#include "base/read_file.h"
#include "sources/fields.h"

namespace holdfast::sources {

Result<PidIo> parse_pid_io(std::string_view text) {
    PidIo io;
    const auto visit = [&](const Field& field) {
        if (field.key == "rchar") io.read_calls = parse_bytes(field.value);
        if (field.key == "wchar") io.written_calls = parse_bytes(field.value);
        if (field.key == "read_bytes") io.read_disk = parse_bytes(field.value);
        if (field.key == "write_bytes") io.written_disk = parse_bytes(field.value);
    };
    if (for_each_field(text, ':', visit) == 0) return Error{"/proc/PID/io makes no sense", 0};
    return io;
}

Result<PidIo> read_pid_io(int process_dir) {
    const auto text = read_file_at(process_dir, "io");
    if (!text) return text.error();
    return parse_pid_io(*text);
}

}  // namespace holdfast::sources
