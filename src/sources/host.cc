#include "sources/host.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/read_file.h"
#include "base/text.h"

namespace holdfast::sources {
namespace {

// PROC_PID_INIT_INO: unchanged in every kernel since namespaces have numbers.
constexpr std::uint64_t first_pid_namespace = 4026531836;

std::string read_trimmed(int directory, const std::string& name) {
    const auto text = read_file_at(directory, name, 4096);
    return text ? std::string(trim(*text)) : std::string();
}

bool in_first_pid_namespace(const Roots& roots) {
    std::array<char, 64> buffer;
    const ssize_t got = ::readlinkat(roots.proc(), "self/ns/pid", buffer.data(), buffer.size());
    if (got <= 0) return false;
    return parse_namespace_link({buffer.data(), static_cast<std::size_t>(got)}) ==
           first_pid_namespace;
}

}  // namespace

std::optional<BootId> parse_boot_id(std::string_view text) {
    text = trim(text);
    BootId id{};
    std::size_t digits = 0;
    for (const char c : text) {
        if (c == '-') continue;
        const auto nibble = parse_number<unsigned>(std::string_view(&c, 1), 16);
        if (!nibble || digits == 2 * id.size()) return std::nullopt;
        id[digits / 2] = (id[digits / 2] << 4U) | static_cast<std::byte>(*nibble);
        ++digits;
    }
    if (digits != 2 * id.size()) return std::nullopt;
    return id;
}

std::optional<int> parse_cpu_list(std::string_view text) {
    text = trim(text);
    int count = 0;
    while (const auto piece = next_piece(text, ',')) {
        const std::size_t dash = piece->find('-');
        const auto first = parse_number<int>(piece->substr(0, dash));
        const auto last =
            dash == std::string_view::npos ? first : parse_number<int>(piece->substr(dash + 1));
        constexpr int most = 1 << 20;
        if (!first || !last || *first < 0 || *last < *first || *last > most) return std::nullopt;
        count += *last - *first + 1;
        if (count > most) return std::nullopt;
    }
    if (count == 0) return std::nullopt;
    return count;
}

std::optional<std::uint64_t> parse_namespace_link(std::string_view text) {
    const std::size_t open = text.find(":[");
    if (open == std::string_view::npos || !text.ends_with(']')) return std::nullopt;
    return parse_number<std::uint64_t>(text.substr(open + 2, text.size() - open - 3));
}

bool is_wsl_kernel(std::string_view release) {
    std::string lower(release);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
    return lower.find("microsoft") != std::string::npos || lower.find("wsl") != std::string::npos;
}

Host read_host(const Roots& roots) {
    Host host;
    host.name = read_trimmed(roots.proc(), "sys/kernel/hostname");
    host.kernel = read_trimmed(roots.proc(), "sys/kernel/osrelease");
    host.boot_id = parse_boot_id(read_trimmed(roots.proc(), "sys/kernel/random/boot_id"));
    host.cpus =
        parse_cpu_list(read_trimmed(AT_FDCWD, roots.path("/sys/devices/system/cpu/online")));
    host.in_first_pid_namespace = in_first_pid_namespace(roots);
    host.wsl = is_wsl_kernel(host.kernel);
    return host;
}

}  // namespace holdfast::sources
