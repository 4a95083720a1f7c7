#include "sources/overcommit.h"

#include "base/read_file.h"
#include "base/text.h"

namespace holdfast::sources {
namespace {

template <class Int>
std::optional<Int> read_setting(const Roots& roots, const char* name) {
    const auto text = read_file_at(roots.proc(), name, 4096);
    if (!text) return std::nullopt;
    return parse_number<Int>(trim(*text));
}

}  // namespace

KernelSettings read_kernel_settings(const Roots& roots) {
    return {
        read_setting<int>(roots, "sys/vm/overcommit_memory"),
        read_setting<std::uint64_t>(roots, "sys/vm/max_map_count"),
        read_setting<std::uint64_t>(roots, "sys/kernel/pid_max"),
        read_setting<std::uint64_t>(roots, "sys/kernel/threads-max"),
    };
}

}  // namespace holdfast::sources
