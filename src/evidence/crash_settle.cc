#include "evidence/crash_settle.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/unique_fd.h"
#include "native/isolated.h"
#include "record/box_reader.h"
#include "record/crash_box.h"
#include "record/run_files.h"
#include "sources/pid_stat.h"

namespace holdfast {
namespace {

using format::Crash;

// flock belongs to the open file, and closing the descriptor releases it.
Status lock(int fd) {
    while (::flock(fd, LOCK_EX) != 0)
        if (errno != EINTR) return Error::from_errno("cannot lock");
    return Done{};
}

// Writes with pwrite: a store into a mapped file that somebody cuts short is a SIGBUS. Never
// extends the file.
class Slot {
public:
    Slot(int fd, std::uint64_t file_size, std::size_t number)
        : fd_(fd),
          size_(file_size),
          begin_(format::crash_slots_offset + number * format::crash_slot_space) {}

    bool write(std::size_t offset, const void* from, std::size_t size) const {
        const auto* bytes = static_cast<const char*>(from);
        std::uint64_t at = begin_ + offset;
        if (at >= size_) return true;
        size = std::min<std::uint64_t>(size, size_ - at);
        while (size > 0) {
            const ssize_t wrote = ::pwrite(fd_, bytes, size, static_cast<off_t>(at));
            if (wrote < 0 && errno == EINTR) continue;
            if (wrote <= 0) return false;
            bytes += wrote;
            at += static_cast<std::uint64_t>(wrote);
            size -= static_cast<std::size_t>(wrote);
        }
        return true;
    }
    bool write(std::size_t offset, std::uint32_t value) const {
        return write(offset, &value, sizeof(value));
    }

private:
    int fd_;
    std::uint64_t size_;
    std::uint64_t begin_;
};

// Sets `unwound` first: if we die in between, the stack can be erased the next time. In the other
// order, nothing would be left to unwind.
bool erase_stack(const Slot& slot) {
    const std::vector<char> zeros(sizeof(Crash::stack));
    return slot.write(offsetof(Crash, stack), zeros.data(), zeros.size()) &&
           slot.write(offsetof(Crash, stack_size), 0);
}

bool store(const Slot& slot, const std::string& native) {
    return slot.write(offsetof(Crash, native), native.data(), native.size()) &&
           slot.write(offsetof(Crash, native_size), static_cast<std::uint32_t>(native.size())) &&
           slot.write(offsetof(Crash, unwound), 1);
}

// A process that survived this crash may crash again and write the same slot anew.
bool may_change(const CrashRecord& crash) {
    if ((crash.finished && !crash.survived) || crash.pid <= 0) return false;
    const std::string path = "/proc/" + std::to_string(crash.pid);
    const UniqueFd process(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!process) return false;
    const auto stat = sources::read_pid_stat(process.get());
    return stat && stat->start_ticks == crash.start_ticks && stat->state != 'Z' &&
           stat->state != 'X';
}

// Whether the slot still holds the record that we unwound.
bool unchanged(int fd, const CrashRecord& crash) {
    const auto now = read_crashes(fd);
    return now && std::any_of(now->begin(), now->end(), [&](const CrashRecord& other) {
               return other.slot == crash.slot && other.pid == crash.pid &&
                      other.time == crash.time && other.finished == crash.finished &&
                      other.survived == crash.survived;
           });
}

}  // namespace

Status settle_crashes(int fd, const SettleOptions& options) {
    struct stat info {};
    if (::fstat(fd, &info) != 0) return Error::from_errno("cannot stat");
    if (!S_ISREG(info.st_mode)) return Error{"not a regular file"};
    if (const Status locked = lock(fd); !locked) return locked;
    const auto size = static_cast<std::uint64_t>(std::max<off_t>(info.st_size, 0));
    Result<std::vector<CrashRecord>> crashes = read_crashes(fd);
    if (!crashes) return crashes.error();
    for (CrashRecord& crash : *crashes) {
        const Slot slot(fd, size, crash.slot);
        if (!crash.unwound) {
            if (may_change(crash)) continue;
            const std::string native = unwind_isolated(
                crash, {options.frames_within, options.lines_within, sizeof(Crash::native)});
            if (!unchanged(fd, crash)) continue;
            if (!store(slot, native)) return Error::from_errno("cannot write");
        }
        if ((!crash.unwound || !crash.stack.empty()) && !erase_stack(slot))
            return Error::from_errno("cannot write");
    }
    return Done{};
}

Status settle_crashes(const RunDirectory& directory, const SettleOptions& options) {
    const Result<UniqueFd> fd = open_run_file(directory.fd(), run_file::crash, O_RDWR);
    if (!fd && fd.error().number == ENOENT) return Done{};
    if (!fd) return fd.error();
    return settle_crashes(fd->get(), options).context(run_file::crash);
}

}  // namespace holdfast
