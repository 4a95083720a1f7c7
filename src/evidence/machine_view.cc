#include "evidence/machine_view.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <utility>

#include "base/read_file.h"
#include "base/unique_fd.h"
#include "sources/cgroup.h"
#include "sources/cgroup_place.h"
#include "sources/mountinfo.h"
#include "sources/pid_figures.h"
#include "sources/process_dir.h"
#include "sources/roots.h"

namespace holdfast {
namespace {

constexpr std::size_t most_kernel_records = 65536;

bool is_alive(const sources::Roots& roots, int pid, std::uint64_t start_ticks) {
    if (pid <= 0) return false;
    auto process = sources::ProcessDir::open(roots, pid);
    if (!process) return false;
    const auto stat = process->stat();
    // A zombie has ended: only its status waits for a parent.
    if (!stat || stat->start_ticks != start_ticks || stat->state == 'Z' || stat->state == 'X')
        return false;
    // Killed a moment ago together with its supervisor: it has released its memory, or is about to.
    if (stat->virtual_size == Bytes{}) return false;
    const auto status = sources::read_pid_status(process->fd());
    constexpr std::uint64_t kill_bit = 1U << 8U;
    return !status || ((status->pending_process.value_or(0) | status->pending_thread.value_or(0)) &
                       kill_bit) == 0;
}

Result<CgroupNow> read_cgroup(const sources::Roots& roots, int version, const std::string& path) {
    const UniqueFd self(::openat(roots.proc(), "self", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!self) return Error::from_errno("cannot open /proc/self");
    const auto mounts = sources::read_mountinfo(self.get());
    if (!mounts) return mounts.error();
    sources::CgroupMembership membership;
    membership.path = path;
    if (version == 1) {
        membership.hierarchy = 1;
        membership.controllers = {"memory"};
    }
    const auto cgroup = sources::CgroupReader::open(roots, {&membership, 1}, *mounts);
    if (!cgroup) return cgroup.error();
    if (cgroup->view() != sources::CgroupView::own || cgroup->path() != path)
        return Error{"the cgroup " + path + " is gone", ENOENT};
    return CgroupNow{cgroup->read(), cgroup->userspace_oom_mark()};
}

Result<KernelLogNow> read_kernel_log(const sources::Roots& roots) {
    auto log = sources::KernelLog::open(roots, sources::KernelLog::From::oldest);
    if (!log) return log.error();
    KernelLogNow now;
    while (now.records.size() < most_kernel_records) {
        auto record = log->next();
        if (!record) return record.error();
        if (!*record) break;
        now.records.push_back(std::move(**record));
    }
    return now;
}

Result<OutputFile> read_output_file(const OutputCapture& capture, std::size_t limit) {
    const UniqueFd fd(::open(capture.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!fd) return Error::from_errno("cannot open " + capture.path);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return Error::from_errno("cannot stat " + capture.path);
    if (!S_ISREG(info.st_mode) || info.st_dev != capture.device || info.st_ino != capture.inode)
        return Error{capture.path + " is another file now"};
    auto tail = read_tail(fd.get(), limit, capture.from_offset);
    if (!tail) return tail.error();
    OutputFile file;
    const auto size = static_cast<std::uint64_t>(info.st_size);
    file.from_the_middle = size > capture.from_offset && size - capture.from_offset > limit;
    file.tail = std::move(*tail);
    file.modified_wall = std::chrono::seconds(info.st_mtim.tv_sec) + Nanos(info.st_mtim.tv_nsec);
    return file;
}

}  // namespace

MachineView view_of_machine(const std::string& root) {
    MachineView view;
    view.now = monotonic_now();
    view.output_file = read_output_file;
    auto opened = sources::Roots::open(root);
    if (!opened) return view;
    const auto roots = std::make_shared<const sources::Roots>(std::move(*opened));
    view.boot_id = sources::read_host(*roots).boot_id;
    view.alive = [roots](int pid, std::uint64_t ticks) { return is_alive(*roots, pid, ticks); };
    view.cgroup = [roots](int version, const std::string& path) {
        return read_cgroup(*roots, version, path);
    };
    view.kernel_log = [roots] { return read_kernel_log(*roots); };
    return view;
}

}  // namespace holdfast
