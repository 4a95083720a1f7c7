#include "supervise/observer.h"

#include <cstdlib>

#include "base/text.h"
#include "base/time.h"
#include "record/fixed_fields.h"
#include "record/mask.h"
#include "sources/figures.h"
#include "sources/kernel_message.h"

namespace holdfast {
namespace {

using std::chrono::milliseconds;

// How long to pause after work that took `cost`: the work takes at most a fifth of a percent of a
// core.
Nanos pause_after(Nanos cost, Nanos at_least) { return std::max(at_least, cost * 500); }

// Keeps only lines that a rule may need: a busy machine's log would fill the ring.
bool matters(const sources::KernelRecord& record) {
    return sources::parse_oom_kill(record) || sources::parse_fault(record) ||
           sources::parse_xid(record) || sources::parse_io_error(record) ||
           sources::parse_hardware_error(record);
}

// A kill's first line names two cgroups, which are long under Kubernetes, and the pid at the end.
// Cut the text before them, which no rule needs: otherwise the pid may not fit into the field.
std::string fitting(std::string text) {
    const std::size_t begin = text.find(",nodemask=");
    const std::size_t end =
        std::min({text.find(",oom_memcg="), text.find(",global_oom"), text.find(",task_memcg=")});
    if (begin != std::string::npos && end != std::string::npos && begin < end)
        text.erase(begin, end - begin);
    return text;
}

}  // namespace

Observer::Observer(const sources::Roots& roots, MachineBox& box, EventLog& events, int epoll)
    : roots_(&roots),
      box_(&box),
      events_(&events),
      host_(roots),
      cgroups_(roots, box.cgroups, events),
      tree_(roots, box.processes, events, epoll,
            [this](int dir) { return cgroups_.slot_of(monotonic_now(), dir); }),
      disks_(box.disks),
      neighbours_(roots, box.neighbours),
      stacks_(box.stacks),
      stalls_(roots, box, tree_, stacks_),
      oom_table_(sources::page_size()) {
    // Before the program starts, so that none of its messages is missed, and no older one counts.
    if (auto log = sources::KernelLog::open(roots, sources::KernelLog::From::now))
        kernel_log_.emplace(std::move(log).value());
    cgroups_.open_own(monotonic_now());
    host_.fill(latest_);
    box_->samples.append(sample_now(monotonic_now()));
}

void Observer::begin(Nanos now, pid_t command, const std::string& working_directory) {
    began_ = now;
    tree_.adopt_command(now, command);
    note_missing(now);
    disks_.add(now, "working directory", working_directory);
    const char* temporary = std::getenv("TMPDIR");
    disks_.add(now, "temporary directory", temporary != nullptr ? temporary : "/tmp");
    disks_.add(now, "/dev/shm", "/dev/shm");
    next_survey_ = now + std::chrono::seconds(1);
    next_stacks_ = next_survey_;
}

void Observer::note_missing(Nanos now) {
    for (const MissingKind what : host_.missing()) events_->missing(now, what);
    if (!kernel_log_) events_->missing(now, MissingKind::kernel_log_closed);
    if (!cgroups_.any()) events_->missing(now, MissingKind::memory_cgroup, cgroups_.why_none());
}

Nanos Observer::look(Nanos now) {
    // First, because it needs no memory: the files are open and the buffers exist.
    const std::uint64_t kills = cgroups_.all_kills();
    cgroups_.glance(now);
    if (cgroups_.all_kills() != kills) make_room();
    // More processes often follow the first (a pool, a loader), and may not live long.
    if (tree_.discover(now)) lively_until_ = now + std::chrono::seconds(1);
    tree_.glance(now);
    if (now >= next_host_look_) {
        host_.fill(latest_);
        next_host_look_ = now + milliseconds(100);
    }
    if (now >= next_study_) study(now);
    if (now >= next_survey_) survey(now);
    // Close to the limit it is worth the CPU time to know who holds what: the process that took the
    // memory may end a moment after it got us killed.
    if (tight() && now >= next_neighbours_) look_at_neighbours(now);

    if (now >= next_stacks_) look_at_stacks(now);
    stalls_.look(now);

    format::Sample sample = sample_now(now);
    interval_ = cadence_.next(now - began_, now, headroom(sample));
    if (now < lively_until_) interval_ = std::min(interval_, Cadence::lively);
    sample.interval_ms = static_cast<std::uint32_t>(interval_ / milliseconds(1));
    box_->samples.append(sample);
    box_->history.append(sample);
    reserve_.refill(headroom(sample));
    return now + interval_;
}

// What is left before the first limit is reached: the machine's, the cgroup's or the process's own.
std::optional<Bytes> Observer::headroom(const format::Sample& sample) const {
    std::optional<Bytes> least = HostLook::headroom(sample);
    const auto consider = [&least](Bytes room) {
        if (!least || room < *least) least = room;
    };
    if (sample.cgroup_headroom != format::unknown) consider(Bytes{sample.cgroup_headroom});
    const format::Process* working = tree_.working();
    if (working != nullptr && working->limit_as != format::unknown &&
        working->virtual_size != format::unknown)
        consider(Bytes{working->limit_as} - Bytes{working->virtual_size});
    return least;
}

void Observer::study(Nanos now) {
    const Nanos begin = own_cpu_now();
    tree_.study(now);
    cgroups_.study(now, [this](pid_t pid) { return is_ours(pid); });
    next_study_ = now + pause_after(own_cpu_now() - begin, interval_ * 2);
}

void Observer::survey(Nanos now) {
    tree_.survey(now);
    if (const format::Process* working = tree_.working())
        disks_.add_written_by(now, tree_.directory_of(working->pid));
    disks_.look(now);
    look_at_neighbours(now);
    const bool climbing = interval_ < Cadence::calm && now - began_ > Cadence::start_period;
    next_survey_ = now + pause_after(monotonic_now() - now,
                                     climbing ? std::chrono::seconds(1) : std::chrono::seconds(10));
}

bool Observer::tight() const {
    const TightestLevel tightest = cgroups_.tightest(main_cgroup());
    return tightest.headroom && tightest.limit &&
           tightest.headroom->share_of(*tightest.limit) < 0.2;
}

void Observer::look_at_neighbours(Nanos now) {
    const int limited = main_cgroup();
    neighbours_.look(
        now, [this](pid_t pid) { return is_ours(pid); },
        [this, limited](int dir) { return cgroups_.shares_limit(dir, limited); });
    next_neighbours_ = now + std::max<Nanos>((monotonic_now() - now) * 50, milliseconds(100));
}

void Observer::look_at_stacks(Nanos now) {
    const Nanos begin = own_cpu_now();
    stacks_.look(now, tree_.pythons());
    if (const std::string why = stacks_.take_complaint(); !why.empty())
        events_->missing(now, MissingKind::from_outside, why);
    next_stacks_ = now + pause_after(own_cpu_now() - begin, std::chrono::seconds(1));
}

int Observer::main_cgroup() const {
    const format::Process* working = tree_.working();
    return working != nullptr && working->cgroup >= 0 ? working->cgroup : last_main_cgroup_;
}

format::Sample Observer::sample_now(Nanos now) const {
    format::Sample sample = latest_;
    sample.time = now.count();
    const int slot = main_cgroup();
    const TightestLevel tightest = cgroups_.tightest(slot);
    sample.cgroup_usage = stored(tightest.usage);
    sample.cgroup_limit = stored(tightest.limit);
    sample.cgroup_headroom = stored(tightest.headroom);
    sample.cgroup_oom_kill = stored(cgroups_.kills(slot));
    sample.cgroup_shmem = stored(cgroups_.shared_memory(slot));
    const TreeTotals& totals = tree_.totals();
    sample.tree_rss = totals.rss;
    sample.tree_processes = totals.processes;
    sample.tree_threads = totals.threads;
    sample.tree_cpu_ns = totals.cpu_ns;
    if (const format::Process* working = tree_.working()) {
        sample.main_rss = working->rss;
        sample.main_open_files = working->open_files;
        sample.main_threads = working->threads;
    }
    return sample;
}

void Observer::read_kernel_log(Nanos now) {
    if (!kernel_log_) return;
    for (int count = 0; count < 1000; ++count) {
        const auto record = kernel_log_->next();
        if (kernel_log_->lost_some() && !told_of_lost_log_) {
            events_->missing(now, MissingKind::kernel_log_cut);
            told_of_lost_log_ = true;
        }
        if (!record || !*record) return;
        if (!oom_table_.take(**record) && matters(**record)) note_kernel_line(now, **record);
    }
}

void Observer::note_kernel_line(Nanos now, const sources::KernelRecord& record) {
    // The list belongs to the kill that follows it: keep that order in the record.
    if (!oom_table_.tasks().empty() && sources::parse_oom_kill(record)) {
        events_->kernel_line(now, record.time, oom_table_.columns());
        for (const sources::OomTask& task : oom_table_.tasks())
            events_->kernel_line(now, record.time, mask_text(task.line));
        oom_table_.clear();
        // The list has only names. Most of these processes still live, and their command lines can
        // be read.
        look_at_neighbours(now);
    }
    events_->kernel_line(now, record.time, mask_text(fitting(record.text)));
}

void Observer::last_look(Nanos now, bool ended_well) {
    make_room();
    last_main_cgroup_ = main_cgroup();
    read_kernel_log(now);
    cgroups_.settle(
        now, [this](pid_t pid) { return is_ours(pid); }, main_cgroup(), neighbours_.gone());
    host_.fill(latest_);
    disks_.look(now);
    if (!ended_well) {
        disks_.add_full(now);
        tree_.before_reaping();
    }
    // If another process took the memory, it may still be there; but a look from just before the
    // end is better, so keep a recent one.
    if (!ended_well && now >= next_neighbours_) look_at_neighbours(now);
    const format::Sample sample = sample_now(now);
    box_->samples.append(sample);
    box_->history.append(sample);
}

}  // namespace holdfast
