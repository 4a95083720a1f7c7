#include "supervise/process_rows.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <string>

#include "base/read_file.h"
#include "base/text.h"
#include "knowledge/launchers.h"
#include "knowledge/wrappers.h"
#include "record/box_reader.h"
#include "record/fixed_fields.h"
#include "record/mask.h"
#include "sources/pid_command.h"
#include "sources/pid_fds.h"
#include "sources/pid_figures.h"
#include "sources/threads.h"
#include "supervise/role.h"

namespace holdfast {

std::optional<std::size_t> ProcessSlots::take() {
    for (const Use use : {Use::free, Use::ended_well, Use::ended_badly})
        if (const auto slot = oldest(use)) {
            rows_[*slot] = {Use::alive, 0};
            table_->clear(*slot);
            return slot;
        }
    return std::nullopt;
}

void ProcessSlots::put(std::size_t slot, const format::Process& record) {
    Row& row = rows_[slot];
    if (record.ended == format::never) row.use = Use::alive;
    // An end with unknown status counts as bad: it may be the one that matters.
    else
        row.use = record.wait_status == 0 ? Use::ended_well : Use::ended_badly;
    row.ended = record.ended;
    table_->put(slot, record);
}

std::optional<std::size_t> ProcessSlots::oldest(Use use) const {
    std::optional<std::size_t> found;
    for (std::size_t slot = 0; slot < rows_.size(); ++slot)
        if (rows_[slot].use == use && (!found || rows_[slot].ended < rows_[*found].ended))
            found = slot;
    return found;
}

namespace {

constexpr std::uint64_t not_read = format::unknown;

std::uint64_t larger(std::uint64_t so_far, std::uint64_t now) {
    if (so_far == not_read) return now;
    return now == not_read ? so_far : std::max(so_far, now);
}

std::string executable_of(int process_dir) {
    char target[PATH_MAX];
    const ssize_t length = ::readlinkat(process_dir, "exe", target, sizeof target);
    return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : std::string();
}

// A script has its own name: only its executable shows that a shell runs it.
format::ProgramKind kind_of(const std::string& executable, std::string_view name) {
    const std::string_view program = std::string_view(executable).substr(executable.rfind('/') + 1);
    if (is_wrapper_program(program) || is_wrapper_program(name))
        return format::ProgramKind::wrapper;
    if (is_python(program) || is_python(name)) return format::ProgramKind::python;
    return format::ProgramKind::other;
}

}  // namespace

format::Process unseen_process() {
    format::Process record{};
    record.ended = format::never;
    record.wait_status = -1;
    record.rank = -1;
    record.cgroup = -1;
    record.role = format::ProcessRole::helper;
    record.state = '?';
    forget(record, &format::Process::rss, &format::Process::limit_cpu_hard);
    return record;
}

std::optional<int> identify_process(int process_dir, format::Process& record) {
    if (const auto stat = sources::read_pid_stat(process_dir)) {
        std::fill(std::begin(record.name), std::end(record.name), '\0');
        std::copy_n(stat->comm.begin(), std::min(stat->comm.size(), sizeof record.name - 1),
                    std::begin(record.name));
        record.start_ticks = stat->start_ticks;
        if (record.parent != stat->ppid && stat->ppid != 0) record.parent = stat->ppid;
    }
    const std::string executable = executable_of(process_dir);
    record.program = kind_of(executable, record.name);
    if (const auto words = sources::read_pid_cmdline(process_dir); words && !words->empty())
        set_fixed_text(record.command, printable(command_line(mask_command(*words))));
    if (const auto adj = read_file_at(process_dir, "oom_score_adj"))
        record.oom_score_adj = parse_number<int>(trim(*adj)).value_or(0);
    const auto environment = sources::read_pid_environ(process_dir, rank_variables());
    return environment ? rank_in(*environment) : std::nullopt;
}

void note_new_name(const std::string& name, format::Process& record) {
    set_fixed_text(record.name, name);
    set_fixed_text(record.command, printable(name));
    record.program = kind_of({}, name);
}

void note_figures(const sources::PidStat& stat, format::Process& record) {
    record.state = stat.state;
    record.rss = stat.rss.count;
    record.rss_peak = larger(record.rss_peak, stat.rss.count);
    record.virtual_size = larger(record.virtual_size, stat.virtual_size.count);
    record.threads = stat.threads;
    record.threads_peak = larger(record.threads_peak, stat.threads);
    record.cpu_ns = static_cast<std::uint64_t>(std::max<std::int64_t>(stat.cpu_time.count(), 0));
    record.minor_faults = stat.minor_faults;
    record.major_faults = stat.major_faults;
}

void note_open_files(int process_dir, format::Process& record) {
    const auto count = sources::count_open_files(process_dir);
    if (!count) return;
    record.open_files = *count;
    record.open_files_peak = larger(record.open_files_peak, *count);
}

void note_limits(int process_dir, format::Process& record) {
    const auto limits = sources::read_pid_limits(process_dir);
    if (!limits) return;
    record.limit_as = stored(limits->address_space.soft);
    record.limit_data = stored(limits->data.soft);
    record.limit_fsize = stored(limits->file_size.soft);
    record.limit_nofile = stored(limits->open_files.soft);
    record.limit_nproc = stored(limits->processes.soft);
    record.limit_cpu_soft = stored(limits->cpu_seconds.soft);
    record.limit_cpu_hard = stored(limits->cpu_seconds.hard);
}

void note_details(int process_dir, format::Process& record) {
    note_open_files(process_dir, record);
    if (const auto status = sources::read_pid_status(process_dir)) {
        record.anon = stored(status->anon);
        record.shmem = stored(status->shmem);
        record.swap = stored(status->swap);
        record.rss_peak = larger(record.rss_peak, stored(status->rss_peak));
        record.virtual_size = larger(record.virtual_size, stored(status->virtual_peak));
        record.uid = status->uid.value_or(record.uid);
    }
    if (const auto io = sources::read_pid_io(process_dir)) {
        record.read_bytes = stored(io->read_disk);
        record.write_bytes = stored(io->written_disk);
    }
    note_limits(process_dir, record);
    if (const auto channel = sources::read_pid_wchan(process_dir))
        set_fixed_text(record.wait_channel, printable(*channel));
}

void note_mappings(int process_dir, format::Process& record) {
    if (const auto count = sources::count_mappings(process_dir)) record.mappings = count->mappings;
}

}  // namespace holdfast
