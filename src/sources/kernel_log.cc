#include "sources/kernel_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>

#include "base/text.h"

namespace holdfast::sources {

Result<KernelRecord> parse_kernel_record(std::string_view text) {
    const Error malformed{"a record of the kernel log makes no sense", 0};
    const std::size_t semicolon = text.find(';');
    if (semicolon == std::string_view::npos) return malformed;
    std::string_view prefix = text.substr(0, semicolon);
    const auto priority = next_piece(prefix, ',');
    const auto sequence = next_piece(prefix, ',');
    const auto micros = next_piece(prefix, ',');
    // Later kernels add fields after these: skip them.
    if (!priority || !sequence || !micros) return malformed;
    const auto level = parse_number<unsigned>(*priority);
    const auto number = parse_number<std::uint64_t>(*sequence);
    const auto time = parse_number<std::int64_t>(*micros);
    if (!level || *level > 0xffff || !number || !time || *time < 0 ||
        *time > Nanos::max().count() / 1000)
        return malformed;
    std::string_view line = text.substr(semicolon + 1);
    line = line.substr(0, line.find('\n'));
    return KernelRecord{static_cast<int>(*level & 7U), static_cast<int>(*level >> 3U), *number,
                        Nanos(*time * 1000), std::string(line)};
}

Result<KernelLog> KernelLog::open(const Roots& roots, From from) {
    UniqueFd fd(::open(roots.path("/dev/kmsg").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!fd) return Error::from_errno("cannot open /dev/kmsg");
    // Some containers put /dev/null or a console there: a log that is always empty clears nobody.
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0 || (S_ISCHR(info.st_mode) && info.st_rdev != makedev(1, 11)))
        return Error{"/dev/kmsg is not the kernel's log here", ENODEV};
    // SEEK_SET, not SEEK_DATA: that would skip what the last `dmesg --clear` hid.
    if (::lseek(fd.get(), 0, from == From::now ? SEEK_END : SEEK_SET) < 0)
        return Error::from_errno("cannot seek in /dev/kmsg");
    return KernelLog(std::move(fd));
}

Result<std::optional<KernelRecord>> KernelLog::next() {
    std::array<char, 8192>
        buffer;  // the kernel returns only whole records, and EINVAL if one does not fit
    for (;;) {
        const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EPIPE) {  // overwritten before we read it: the next read continues
            lost_some_ = true;
            continue;
        }
        if (got < 0 && errno == EAGAIN) return std::optional<KernelRecord>();
        if (got < 0) return Error::from_errno("cannot read /dev/kmsg");
        if (got == 0) return std::optional<KernelRecord>();
        auto record = parse_kernel_record({buffer.data(), static_cast<std::size_t>(got)});
        if (record) return std::optional(std::move(*record));
    }
}

}  // namespace holdfast::sources
