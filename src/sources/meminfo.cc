#include "sources/meminfo.h"

#include <array>

#include "base/read_file.h"
#include "base/text.h"
#include "sources/figures.h"

namespace holdfast::sources {
namespace {

struct MeminfoRow {
    std::string_view name;
    std::optional<Bytes> Meminfo::*slot;
};

constexpr MeminfoRow meminfo_rows[] = {
    {"MemTotal", &Meminfo::total},
    {"MemFree", &Meminfo::free},
    {"MemAvailable", &Meminfo::available},
    {"Buffers", &Meminfo::buffers},
    {"Cached", &Meminfo::cached},
    {"Shmem", &Meminfo::shmem},
    {"AnonPages", &Meminfo::anon},
    {"SReclaimable", &Meminfo::slab_reclaimable},
    {"Dirty", &Meminfo::dirty},
    {"Writeback", &Meminfo::writeback},
    {"SwapTotal", &Meminfo::swap_total},
    {"SwapFree", &Meminfo::swap_free},
    {"CommitLimit", &Meminfo::commit_limit},
    {"Committed_AS", &Meminfo::committed},
};

}  // namespace

Result<Meminfo> parse_meminfo(std::string_view text) {
    Meminfo info;
    for_each_field(text, ':', [&](const FigureField& field) {
        for (const MeminfoRow& row : meminfo_rows)
            if (field.key == row.name) info.*row.slot = parse_kib(field.value);
    });
    if (!info.total) return Error{"/proc/meminfo has no MemTotal", 0};
    return info;
}

Result<MeminfoReader> MeminfoReader::open(const Roots& roots) {
    auto file = LiveFile::open(roots.proc(), "meminfo");
    if (!file) return file.error();
    return MeminfoReader(std::move(*file));
}

Result<Meminfo> MeminfoReader::read() const {
    std::array<char, 8192> buffer;
    const auto text = file_.read(buffer);
    if (!text) return text.error();
    return parse_meminfo(*text);
}

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
