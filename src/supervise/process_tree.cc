#include "supervise/process_tree.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>

#include "base/child.h"
#include "base/read_file.h"
#include "base/text.h"
#include "base/time.h"
#include "sources/process_list.h"
#include "supervise/process_end.h"
#include "supervise/process_rows.h"
#include "supervise/role.h"

namespace holdfast {
namespace {

// Beyond this many at the same time, processes are only counted: each watched one takes three
// descriptors.
constexpr std::size_t most_watched = 200;
// Between fork and exec a process looks like its parent; after this time it has become itself.
constexpr Nanos settling_time = std::chrono::milliseconds(300);

std::multimap<pid_t, pid_t> all_by_parent(const sources::Roots& roots) {
    std::multimap<pid_t, pid_t> by_parent;
    const auto pids = sources::list_processes(roots);
    if (!pids) return by_parent;
    for (const int pid : *pids)
        if (const auto dir = sources::ProcessDir::open(roots, pid))
            if (const auto stat = sources::read_pid_stat(dir->fd()))
                by_parent.emplace(stat->ppid, pid);
    return by_parent;
}

}  // namespace

ProcessTree::ProcessTree(const sources::Roots& roots, TableWriter<format::Process>& table,
                         EventLog& events, int epoll, CgroupSlot cgroup_slot)
    : roots_(&roots),
      slots_(table),
      events_(&events),
      epoll_(epoll),
      cgroup_slot_(std::move(cgroup_slot)) {}

void ProcessTree::adopt_command(Nanos now, pid_t pid) {
    command_ = pid;
    add(now, pid, ::getpid());
}

bool ProcessTree::discover(Nanos now) {
    if (now < next_discovery_ || !somebody_was_started()) return false;
    const Nanos begin = own_cpu_now();
    const bool found = find_newcomers(now);
    // This is expensive if processes have hundreds of threads: it may take half a percent of a
    // core.
    next_discovery_ =
        now + std::max<Nanos>((own_cpu_now() - begin) * 200, std::chrono::milliseconds(20));
    return found;
}

bool ProcessTree::find_newcomers(Nanos now) {
    bool found = false;
    for (const auto& [pid, parent] : children_below())
        if (!living_.contains(pid) && living_.size() < most_watched && add(now, pid, parent))
            found = true;
    return found;
}

// The last field of /proc/loadavg is the newest pid or thread id. If it is unchanged, nothing was
// started.
bool ProcessTree::somebody_was_started() {
    const auto text = read_file_at(roots_->proc(), "loadavg");
    if (!text) return true;
    const std::string_view line = trim(*text);
    const std::string_view newest = line.substr(line.rfind(' ') + 1);
    if (newest == last_pid_) return false;
    last_pid_ = newest;
    return true;
}

// Pairs of process and parent, parents first.
std::vector<std::pair<pid_t, pid_t>> ProcessTree::children_below() {
    std::vector<std::pair<pid_t, pid_t>> found;
    std::vector<pid_t> open{::getpid()};
    std::optional<std::multimap<pid_t, pid_t>> by_parent;  // kernels without the file "children"
    for (std::size_t next = 0; next < open.size() && found.size() < 4096; ++next) {
        const pid_t parent = open[next];
        auto children = children_of(parent);
        if (!children && children.error().number == ENOENT) {
            if (!by_parent) by_parent = all_by_parent(*roots_);
            children = std::vector<int>();
            for (auto [child, end] = by_parent->equal_range(parent); child != end; ++child)
                children->push_back(child->second);
        }
        if (!children) continue;
        for (const int pid : *children) {
            if (std::find(helpers_.begin(), helpers_.end(), pid) != helpers_.end()) continue;
            found.emplace_back(pid, parent);
            open.push_back(pid);
        }
    }
    return found;
}

Result<std::vector<int>> ProcessTree::children_of(pid_t parent) const {
    if (const auto known = living_.find(parent); known != living_.end())
        return sources::read_pid_children(known->second.dir.fd());
    const auto dir = sources::ProcessDir::open(*roots_, parent);
    if (!dir) return Error{dir.error().text, ESRCH};
    return sources::read_pid_children(dir->fd());
}

// A zombie stays among its parent's children until it is reaped, which may be never.
bool ProcessTree::has_ended(pid_t pid, sources::ProcessDir& dir) const {
    const auto stat = dir.stat();
    return stat && std::any_of(ended_.begin(), ended_.end(), [&](const Ended& one) {
               return one.pid == pid && one.start_ticks == stat->start_ticks;
           });
}

bool ProcessTree::add(Nanos now, pid_t pid, pid_t parent) {
    auto dir = sources::ProcessDir::open(*roots_, pid);
    if (!dir || has_ended(pid, *dir)) return false;  // it has ended already
    Member member{std::move(dir).value(), UniqueFd(), {}, {}, now, false};
    member.pidfd = open_pidfd(pid);
    format::Process& record = member.record;
    record = unseen_process();
    record.pid = pid;
    record.parent = parent;
    record.first_seen = record.last_seen = now.count();
    record.is_command = pid == command_ ? 1 : 0;
    const auto [place, fresh] = living_.emplace(pid, std::move(member));
    if (!fresh) return false;
    Member& kept = place->second;
    kept.slot = slots_.take();
    identify(now, kept);
    measure(now, kept, true);
    // The command's end comes through SIGCHLD, with its status; a second report would race.
    if (kept.pidfd && pid != command_) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.u64 = static_cast<std::uint64_t>(pid);
        ::epoll_ctl(epoll_, EPOLL_CTL_ADD, kept.pidfd.get(), &event);
    }
    return true;
}

void ProcessTree::identify(Nanos now, Member& member) {
    format::Process& record = member.record;
    const bool met_before = record.start_ticks != 0;
    member.settled = member.identified + settling_time <= now;
    const auto rank = identify_process(member.dir.fd(), record);
    RoleFacts facts;
    facts.is_command = record.is_command != 0;
    facts.only_child = living_children(record.parent) <= 1;
    facts.rank = rank;
    if (const auto parent = living_.find(record.parent); parent != living_.end()) {
        facts.parent_is_python = parent->second.record.program == format::ProgramKind::python;
        facts.parent_is_wrapper = parent->second.record.program == format::ProgramKind::wrapper;
        facts.parent_role = parent->second.record.role;
        if (parent->second.record.rank >= 0) facts.parent_rank = parent->second.record.rank;
    }
    // An orphan keeps the role that it had while its parent lived.
    const bool orphaned = met_before && record.is_command == 0 && !living_.contains(record.parent);
    if (!orphaned) record.role = decide_role(facts).role;
    // Store every rank, so that a rank's children can be told from new ranks.
    record.rank = rank.value_or(-1);
    record.cgroup = cgroup_slot_(member.dir.fd()).value_or(record.cgroup);
}

void ProcessTree::measure(Nanos now, Member& member, bool in_full) {
    const auto stat = member.dir.stat();
    // A dying process has freed its memory: keep the figures of when it lived.
    if (!stat || stat->state == 'Z' || stat->virtual_size == Bytes{}) return;
    format::Process& record = member.record;
    const bool became_another = stat->comm != std::string_view(record.name);
    note_figures(*stat, record);
    record.last_seen = now.count();
    // In the middle of exec a process has its new name and no arguments yet.
    const bool half_known = record.command[0] == '\0' && !member.settled;
    if (became_another || half_known ||
        (!member.settled && member.identified + settling_time <= now))
        identify(now, member);
    if (in_full) {
        note_details(member.dir.fd(), record);
        // A process may be moved to another cgroup, and a kill is counted where it is then.
        record.cgroup = cgroup_slot_(member.dir.fd()).value_or(record.cgroup);
    } else
        note_open_files(member.dir.fd(), record);
    save(member);
}

void ProcessTree::glance(Nanos now) {
    for (auto& [pid, member] : living_)
        if (pid == command_ || !member.settled) measure(now, member, false);
}

void ProcessTree::study(Nanos now) {
    TreeTotals totals;
    totals.time = now;
    for (auto& [pid, member] : living_) {
        measure(now, member, true);
        totals.rss += member.record.rss == format::unknown ? 0 : member.record.rss;
        totals.threads += member.record.threads == format::unknown ? 0 : member.record.threads;
        totals.cpu_ns += member.record.cpu_ns == format::unknown ? 0 : member.record.cpu_ns;
        ++totals.processes;
    }
    totals_ = totals;
}

void ProcessTree::survey(Nanos now) {
    for (auto& [pid, member] : living_) {
        if (member.record.role != format::ProcessRole::main) continue;
        note_mappings(member.dir.fd(), member.record);
        measure(now, member, true);
    }
}

void ProcessTree::on_pidfd(Nanos now, pid_t pid) {
    const auto found = living_.find(pid);
    if (found == living_.end()) return;
    end(now, pid, end_of_process(found->second.pidfd.get(), found->second.dir.fd()));
}

void ProcessTree::on_reaped(Nanos now, pid_t pid, int wait_status) { end(now, pid, wait_status); }

void ProcessTree::end(Nanos now, pid_t pid, std::optional<int> wait_status) {
    const auto found = living_.find(pid);
    if (found == living_.end()) return;
    Member& member = found->second;
    // It was found between fork and exec and died before the next look: the zombie still has its
    // name.
    if (const auto stat = member.dir.stat();
        stat && stat->comm != std::string_view(member.record.name))
        note_new_name(stat->comm, member.record);
    if (!wait_status || *wait_status != 0) note_limits(member.dir.fd(), member.record);
    member.record.ended = now.count();
    member.record.wait_status = wait_status.value_or(-1);
    if (!wait_status || *wait_status != 0)
        events_->process_ended(now, pid, wait_status.value_or(-1));
    save(member);
    ended_.push_back({pid, member.record.start_ticks});
    if (ended_.size() > 500) ended_.pop_front();
    living_.erase(found);  // closes the pidfd, which removes it from the epoll
}

void ProcessTree::before_reaping() {
    if (const auto found = living_.find(command_); found != living_.end())
        note_limits(found->second.dir.fd(), found->second.record);
}

void ProcessTree::save(const Member& member) {
    if (member.slot) slots_.put(*member.slot, member.record);
}

const format::Process* ProcessTree::command() const {
    const auto found = living_.find(command_);
    return found == living_.end() ? nullptr : &found->second.record;
}

const format::Process* ProcessTree::working() const {
    const format::Process* best = command();
    for (const auto& [pid, member] : living_) {
        const format::Process& record = member.record;
        if (record.role != format::ProcessRole::main) continue;
        if (best == nullptr || record.first_seen > best->first_seen) best = &record;
    }
    return best;
}

bool ProcessTree::contains(pid_t pid) const {
    return living_.contains(pid) || pid == ::getpid() ||
           std::any_of(ended_.begin(), ended_.end(),
                       [pid](const Ended& one) { return one.pid == pid; }) ||
           std::find(helpers_.begin(), helpers_.end(), pid) != helpers_.end();
}

std::vector<pid_t> ProcessTree::pythons() const {
    const format::Process* first = working();
    std::vector<pid_t> pids;
    for (const auto& [pid, member] : living_) {
        if (member.record.program != format::ProgramKind::python) continue;
        const bool in_front = first != nullptr && first->pid == pid;
        pids.insert(in_front ? pids.begin() : pids.end(), pid);
    }
    return pids;
}

std::vector<pid_t> ProcessTree::living() const {
    const format::Process* first = working();
    std::vector<pid_t> pids;
    for (const auto& [pid, member] : living_) {
        const bool in_front = first != nullptr && first->pid == pid;
        pids.insert(in_front ? pids.begin() : pids.end(), pid);
    }
    return pids;
}

const format::Process* ProcessTree::member(pid_t pid) const {
    const auto found = living_.find(pid);
    return found == living_.end() ? nullptr : &found->second.record;
}

int ProcessTree::directory_of(pid_t pid) const {
    const auto found = living_.find(pid);
    return found == living_.end() ? -1 : found->second.dir.fd();
}

std::size_t ProcessTree::living_children(pid_t parent) const {
    return static_cast<std::size_t>(std::count_if(
        living_.begin(), living_.end(),
        [parent](const auto& entry) { return entry.second.record.parent == parent; }));
}

}  // namespace holdfast
