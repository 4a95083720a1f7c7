#include "sources/pid_wchan.h"

#include "base/read_file.h"
#include "base/text.h"

namespace holdfast::sources {

std::string parse_pid_wchan(std::string_view text) {
    const std::string_view name = trim(text);
    return name == "0" ? std::string() : std::string(name);
}

Result<std::string> read_pid_wchan(int process_dir) {
    const auto text = read_file_at(process_dir, "wchan", 4096);
    if (!text) return text.error();
    return parse_pid_wchan(*text);
}

}  // namespace holdfast::sources
