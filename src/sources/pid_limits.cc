#include "sources/pid_limits.h"

#include "base/read_file.h"
#include "base/text.h"

namespace holdfast::sources {
namespace {

struct LimitRow {
    std::string_view name;
    Limit PidLimits::*slot;
};

constexpr LimitRow limit_rows[] = {
    {"Max cpu time", &PidLimits::cpu_seconds},
    {"Max file size", &PidLimits::file_size},
    {"Max data size", &PidLimits::data},
    {"Max stack size", &PidLimits::stack},
    {"Max core file size", &PidLimits::core},
    {"Max processes", &PidLimits::processes},
    {"Max open files", &PidLimits::open_files},
    {"Max locked memory", &PidLimits::locked},
    {"Max address space", &PidLimits::address_space},
};

// "8388608", or "unlimited"; false when it is neither.
bool parse_limit(std::string_view& rest, std::optional<std::uint64_t>& value) {
    const auto word = next_word(rest);
    if (!word) return false;
    if (*word == "unlimited") return true;
    value = parse_number<std::uint64_t>(*word);
    return value.has_value();
}

}  // namespace

Result<PidLimits> parse_pid_limits(std::string_view text) {
    PidLimits limits;
    bool any = false;
    while (const auto line = next_line(text)) {
        for (const LimitRow& row : limit_rows) {
            if (!line->starts_with(row.name)) continue;
            std::string_view rest = line->substr(row.name.size());
            if (!rest.starts_with(' ')) continue;
            Limit limit{true, {}, {}};
            if (!parse_limit(rest, limit.soft) || !parse_limit(rest, limit.hard)) continue;
            limits.*row.slot = limit;
            any = true;
        }
    }
    if (!any) return Error{"/proc/PID/limits makes no sense", 0};
    return limits;
}

Result<PidLimits> read_pid_limits(int process_dir) {
    const auto text = read_file_at(process_dir, "limits");
    if (!text) return text.error();
    return parse_pid_limits(*text);
}

}  // namespace holdfast::sources
