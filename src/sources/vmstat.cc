#include "sources/vmstat.h"

#include <array>

#include "sources/figures.h"

namespace holdfast::sources {

Result<Vmstat> parse_vmstat(std::string_view text) {
    Vmstat vmstat;
    const std::size_t lines = for_each_field(text, ' ', [&](const FigureField& field) {
        // Only 4 of some 190 lines matter: reject most by their first letter.
        if (field.key.front() != 'p' && field.key.front() != 'o') return;
        const auto take = [&] { return parse_number<std::uint64_t>(field.value); };
        if (field.key == "oom_kill") vmstat.oom_kill = take();
        if (field.key == "pgmajfault") vmstat.major_faults = take();
        if (field.key == "pswpin") vmstat.swap_in_pages = take();
        if (field.key == "pswpout") vmstat.swap_out_pages = take();
    });
    if (lines == 0) return Error{"/proc/vmstat makes no sense", 0};
    return vmstat;
}

Result<VmstatReader> VmstatReader::open(const Roots& roots) {
    auto file = LiveFile::open(roots.proc(), "vmstat");
    if (!file) return file.error();
    return VmstatReader(std::move(*file));
}

Result<Vmstat> VmstatReader::read() const {
    std::array<char, 16384> buffer;
    const auto text = file_.read_whole(buffer);
    if (!text) return text.error();
    return parse_vmstat(*text);
}

}  // namespace holdfast::sources
