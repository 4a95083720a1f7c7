#include "supervise/supervisor.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <utility>

#include "base/child.h"
#include "base/exec_target.h"
#include "base/format.h"
#include "base/text.h"
#include "record/agent_box.h"
#include "record/crash_box.h"
#include "record/mask.h"
#include "supervise/gpu_watch.h"
#include "supervise/guard_duty.h"
#include "supervise/injection.h"
#include "supervise/launch.h"
#include "supervise/notices.h"
#include "supervise/observer.h"
#include "supervise/own_state.h"
#include "supervise/recorder.h"
#include "supervise/relay.h"
#include "supervise/run_facts_now.h"
#include "supervise/sentry.h"
#include "supervise/signal_router.h"
#include "supervise/stderr_capture.h"

namespace holdfast {
namespace {

// What an epoll event is about; smaller values are pids.
constexpr std::uint64_t tag_signals = 1ULL << 40U;
constexpr std::uint64_t tag_kernel_log = tag_signals + 1;
constexpr std::uint64_t tag_brink = tag_signals + 2;

// Usage that swings about a threshold must not keep us busy.
constexpr Nanos between_brink_looks = std::chrono::milliseconds(5);

// The agents' boxes take eleven megabytes: they must not fill the disk.
constexpr std::uint64_t room_for_agents = 128ULL << 20U;

bool wait_on(int epoll, int fd, std::uint64_t tag, std::uint32_t events = EPOLLIN) {
    if (fd < 0) return false;
    epoll_event event{};
    event.events = events;
    event.data.u64 = tag;
    return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

// Asks the OOM killer to spare the process that can report the kill. Needs a right that ordinary
// users lack. The program has started before and keeps its own setting.
void protect_ourselves() {
    const UniqueFd file(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    if (file && ::write(file.get(), "-900", 4) < 0) {
    }  // not allowed: then without it
}

// Removes the SIGXFSZ that the kernel sent only to us, because a file of ours became too large.
void forget_own_limits() {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    const timespec at_once{};
    ::sigtimedwait(&one, nullptr, &at_once);
}

OutputCapture describe(StderrCapture capture) {
    OutputCapture described;
    switch (capture) {
    case StderrCapture::relay: described.kind = OutputCapture::Kind::relay; break;
    case StderrCapture::read_file: {
        const FilePlace place = FilePlace::of(STDERR_FILENO);
        described = {OutputCapture::Kind::file, place.path, place.device, place.inode,
                     place.from_offset};
        break;
    }
    case StderrCapture::terminal: described.kind = OutputCapture::Kind::terminal; break;
    case StderrCapture::none: described.kind = OutputCapture::Kind::none; break;
    }
    return described;
}

}  // namespace

Result<RunRecord> FinishedRun::read() const {
    if (directory) return read_run(*directory);
    return read_run(facts, {machine_ ? machine_->fd() : -1, output_ ? output_->fd() : -1, gpu_fd_});
}

class Supervisor {
public:
    explicit Supervisor(const RunOptions& options)
        : options_(&options), own_state_(OwnState::take()) {}

    // If anything of ours fails, the command still runs: in our place if it has not been started,
    // otherwise we only wait for it.
    Result<FinishedRun> run() {
        try {
            if (const Status ready = prepare(); !ready)
                return run_unobserved(ready.error().text.c_str());
            if (const auto refused = start()) return *refused;
            begin();
            while (!ended_) {
                const Nanos glance = guard_ ? guard_->next_look() : Nanos::max();
                wait_and_serve(std::min(next_look_, glance) - monotonic_now());
            }
            return finish();
        } catch (const std::exception& failure) {
            if (command_ || ended_) return wait_blindly();
            return run_unobserved(failure.what());
        }
    }

private:
    Status prepare();
    // Returns exec's error, or that of a command that could not even be run unobserved.
    std::optional<Error> start();
    void begin();
    void start_relay(StderrCapture capture);
    void save_facts();
    void inject_agent(Launch& plan);
    void wait_and_serve(Nanos at_most);
    void serve_guard(Nanos now, const std::vector<CgroupAddress>& cgroups);
    void on_child_changes();
    void follow_launcher();
    void keep_sentry(const std::vector<CgroupAddress>& cgroups);
    FinishedRun finish();
    Error run_unobserved(const char* why);
    FinishedRun wait_blindly();
    void warn_once(const std::string& text);
    SentryDuty sentry_duty() const;

    const RunOptions* options_;
    OwnState own_state_;
    bool warned_ = false;
    std::optional<sources::Roots> roots_;
    RunFacts facts_;
    Recorder recorder_;
    std::optional<SignalInbox> inbox_;
    UniqueFd epoll_;
    std::unique_ptr<EventLog> events_;
    std::unique_ptr<Observer> observer_;
    std::optional<Sentry> sentry_;
    std::optional<SignalRouter> router_;
    std::unique_ptr<OutputBox> output_;
    std::optional<Relay> relay_;
    std::unique_ptr<GpuWatch> gpus_;
    std::optional<Injection> injection_;
    std::optional<GuardDuty> guard_;
    Errands errands_;
    std::optional<Notices> notices_;
    Nanos last_look_{};
    Child command_;
    std::string named_parent_;            // what JPY_PARENT_PID was; empty: not set, or not changed
    pid_t launcher_ = 0;                  // a kernel must not outlive this process; 0: none
    std::optional<Nanos> launcher_gone_;  // when it was asked to end
    int wait_status_ = 0;
    bool ended_ = false;
    Nanos end_time_{};
    Nanos next_look_{};
};

Status Supervisor::prepare() {
    auto roots = sources::Roots::open();
    if (!roots) return roots.error();
    roots_.emplace(std::move(roots).value());
    facts_ = facts_at_start(*roots_);
    facts_.holdfast_version = options_->version;
    facts_.name = options_->name;
    facts_.command = mask_command(options_->command);
    const BoxOrigin origin{facts_.supervisor_pid, facts_.supervisor_start_ticks, facts_.boot_id};
    auto inbox = SignalInbox::open();
    if (!inbox) return inbox.error();
    inbox_.emplace(std::move(inbox).value());
    auto recorder = open_recorder(choose_home(options_->environment),
                                  new_run_id(facts_.started_wall, facts_.supervisor_pid), origin);
    if (!recorder) return recorder.error();
    recorder_ = std::move(recorder).value();
    facts_.id = recorder_.directory ? recorder_.directory->id()
                                    : new_run_id(facts_.started_wall, facts_.supervisor_pid);
    epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
    if (!epoll_) return Error::from_errno("cannot make an epoll");
    // Without it we would never learn of the program's end.
    if (!wait_on(epoll_.get(), inbox_->fd(), tag_signals))
        return Error::from_errno("cannot wait for signals");
    events_ = std::make_unique<EventLog>(recorder_.machine->events);
    observer_ = std::make_unique<Observer>(*roots_, *recorder_.machine, *events_, epoll_.get());
    return Done{};
}

void Supervisor::save_facts() {
    if (!recorder_.directory) return;
    if (const Status written = recorder_.directory->write_facts(facts_); !written)
        recorder_.warnings.push_back(written.error().text);
}

void Supervisor::start_relay(StderrCapture capture) {
    if (capture != StderrCapture::relay) return;
    const BoxOrigin origin{facts_.supervisor_pid, facts_.supervisor_start_ticks, facts_.boot_id};
    auto box = OutputBox::create(recorder_.directory_or_null(), origin);
    if (!box) box = OutputBox::create(nullptr, origin);
    if (!box) return;
    output_ = std::make_unique<OutputBox>(std::move(box).value());
    auto relay = Relay::start(*output_, STDERR_FILENO);
    if (relay) relay_.emplace(std::move(relay).value());
}

// Without a disk the agents could write nowhere: then the program is watched only from outside, and
// the verdict says so.
void Supervisor::inject_agent(Launch& plan) {
    const auto without = [&](const std::string& why) {
        events_->missing(monotonic_now(), MissingKind::from_inside, why);
    };
    if (!options_->agent) return without("--no-agent was given");
    if (!recorder_.directory) return without("no disk to write them to");
    auto found = Injection::find();
    if (!found) return without(found.error().text);
    if (!can_take_agent_by_name(plan.command[0].c_str()))
        without(
            "the program is for 32 bits, for another C library than glibc, or linked to a "
            "sanitizer");
    injection_.emplace(std::move(found).value());
    struct statvfs disk {};
    if (::fstatvfs(recorder_.directory->fd(), &disk) == 0 &&
        disk.f_bavail * disk.f_frsize < room_for_agents)
        return without("the disk is nearly full");
    const BoxOrigin origin{facts_.supervisor_pid, facts_.supervisor_start_ticks, facts_.boot_id};
    if (const auto box = AgentBox::create(recorder_.directory_or_null(), origin); !box)
        return without(box.error().text);
    observer_->stalls().steps().open(UniqueFd(
        ::openat(recorder_.directory->fd(), run_file::agent, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)));
    if (const auto box = CrashBox::create(recorder_.directory_or_null(), origin); !box)
        return without(box.error().text);
    guard_ = GuardDuty::start(*options_, *recorder_.directory, *observer_, *events_);
    // Absolute: the program may change its working directory.
    const std::string directory = std::filesystem::absolute(recorder_.directory->path());
    plan.environment = injection_->environment(environ, directory, plan.command[0]);
}

SentryDuty Supervisor::sentry_duty() const { return {recorder_.machine->fd(), !options_->detach}; }

std::optional<Error> Supervisor::start() {
    const StderrCapture capture = plan_capture(StreamFacts::of(STDERR_FILENO));
    facts_.output = describe(capture);
    // Before the relay: the sentry must not hold the pipe that the program writes to.
    if (auto sentry = Sentry::start(sentry_duty())) sentry_.emplace(std::move(sentry).value());
    start_relay(capture);
    if (facts_.output.kind == OutputCapture::Kind::relay && !relay_) facts_.output = {};
    router_.emplace(*roots_, *events_, sentry_ ? &*sentry_ : nullptr);
    // Orphans of the program become our children instead of init's, and stay visible.
    if (options_->subreaper) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    save_facts();
    for (const std::string& warning : recorder_.warnings) warn_once(warning);

    Launch plan{.command = options_->command, .state = &own_state_};
    if (options_->kernel) {
        plan.dies_with_us = true;
        // ipykernel watches the parent that this variable names. That is us now, so we watch the
        // named one.
        if (const char* named = ::getenv("JPY_PARENT_PID")) {
            named_parent_ = named;
            if (parse_number<pid_t>(named) == ::getppid()) launcher_ = ::getppid();
            ::setenv("JPY_PARENT_PID", std::to_string(::getpid()).c_str(), 1);
        }
    }
    inject_agent(plan);
    if (relay_) {
        plan.output = relay_->writer();
        plan.replaced = writers_of_same_pipe(STDERR_FILENO);
    }
    // Tell the sentry before the program runs: it ends the program if somebody kills us.
    plan.made = [this](pid_t program) {
        if (sentry_) sentry_->guard(program);
    };
    auto launched = launch(plan);
    if (!launched) return run_unobserved(launched.error().text.c_str());
    if (!launched->child) {
        if (relay_) relay_->discard();
        if (recorder_.directory) discard(*recorder_.directory);
        return launched->exec_error;
    }
    command_ = std::move(launched->child);
    return std::nullopt;
}

void Supervisor::begin() {
    const Nanos now = monotonic_now();
    if (sentry_) observer_->tree().leave_out(sentry_->pid());
    if (relay_) observer_->tree().leave_out(relay_->pid());
    observer_->stalls().set_patience(options_->stall_after);
    observer_->begin(now, command_.pid(), facts_.cwd);
    protect_ourselves();
    const BoxOrigin origin{facts_.supervisor_pid, facts_.supervisor_start_ticks, facts_.boot_id};
    if (auto gpus = GpuWatch::start(recorder_.directory_or_null(), origin)) {
        gpus_ = std::move(gpus).value();
        if (gpus_) observer_->tree().leave_out(gpus_->pid());
    }
    facts_.command_pid = command_.pid();
    if (const format::Process* record = observer_->tree().command())
        facts_.command_start_ticks = record->start_ticks;
    save_facts();
    if (options_->on_start && recorder_.directory) {
        Child looker = options_->on_start(*recorder_.directory, command_.pid(), facts_.cwd);
        if (looker) observer_->tree().leave_out(looker.pid());
        errands_.add(std::move(looker));
    }
    notices_.emplace(*options_, recorder_.directory_or_null(), output_.get(), *observer_, errands_);
    wait_on(epoll_.get(), observer_->kernel_log_fd(), tag_kernel_log);
    next_look_ = now;
}

void Supervisor::wait_and_serve(Nanos at_most) {
    std::array<epoll_event, 32> ready{};
    const auto timeout = std::chrono::ceil<std::chrono::milliseconds>(std::max(at_most, Nanos{}));
    const int count = ::epoll_wait(epoll_.get(), ready.data(), static_cast<int>(ready.size()),
                                   static_cast<int>(timeout.count()));
    const Nanos now = monotonic_now();
    bool signals = false;
    for (int i = 0; i < count; ++i) {
        const std::uint64_t tag = ready[static_cast<std::size_t>(i)].data.u64;
        if (tag == tag_signals)
            signals = true;
        else if (tag == tag_kernel_log)
            observer_->read_kernel_log(now);
        else if (tag == tag_brink)
            next_look_ = std::min(next_look_, last_look_ + between_brink_looks);
        else {
            observer_->make_room();
            observer_->tree().on_pidfd(now, static_cast<pid_t>(tag));
        }
    }
    // Signals last: the command's end settles everything, so whatever came with it must be known.
    if (signals) {
        router_->route(now, *inbox_, command_);
        on_child_changes();
    }
    if (ended_) return;
    if (now < next_look_) {
        if (guard_ && now >= guard_->next_look()) guard_->glance(now);
        return;
    }
    follow_launcher();
    if (relay_ && relay_->pid() == 0) {
        relay_->revive();
        if (relay_->pid() > 0) observer_->tree().leave_out(relay_->pid());
    }
    if (guard_) guard_->drain();
    last_look_ = now;
    next_look_ = observer_->look(now);
    const std::vector<CgroupAddress> cgroups = observer_->addresses();
    serve_guard(now, cgroups);
    keep_sentry(cgroups);
    notices_->look(now, cgroups);
    if (const auto news = observer_->stalls().take_news()) {
        notices_->tell_of_stall(*news);
        if (guard_) guard_->on_stall(now, *news);
    }
}

void Supervisor::serve_guard(Nanos now, const std::vector<CgroupAddress>& cgroups) {
    if (!guard_) return;
    guard_->serve(now, cgroups, command_);
    for (const int fd : guard_->take_new_fds())
        wait_on(epoll_.get(), fd, tag_brink, EPOLLIN | EPOLLPRI | EPOLLET);
}

// The sentry may have been killed in our place. Starting another takes a few pages, so do not when
// memory is scarce.
void Supervisor::keep_sentry(const std::vector<CgroupAddress>& cgroups) {
    if (!sentry_) return;
    if (sentry_->pid() == 0 && observer_->has_reserve()) {
        auto again = Sentry::start(sentry_duty());
        if (!again) return;
        *sentry_ = std::move(again).value();
        sentry_->guard(command_.pid());
        observer_->tree().leave_out(sentry_->pid());
    }
    if (const auto kills = observer_->oom_kills()) sentry_->note_oom_kills(*kills);
    std::optional<Bytes> least;
    for (const CgroupAddress& cgroup : cgroups)
        if (cgroup.limit && (!least || *cgroup.limit < *least)) least = cgroup.limit;
    if (least) sentry_->stand_in_for_us(*least);
}

// A kernel ends if its server is gone: asks it first, then kills it.
void Supervisor::follow_launcher() {
    if (launcher_ == 0 || launcher_ == ::getppid()) return;
    constexpr Nanos to_end_by_itself = std::chrono::seconds(5);
    const Nanos now = monotonic_now();
    if (!launcher_gone_) {
        launcher_gone_ = now;
        command_.send(SIGTERM);
    } else if (now - *launcher_gone_ > to_end_by_itself) {
        command_.send(SIGKILL);
    }
}

void Supervisor::on_child_changes() {
    while (const auto change = next_child_change()) {
        const pid_t pid = change->pid;
        const bool is_command = pid == command_.pid();
        // It is not reaped yet, so /proc/PID can still be read.
        if (is_command && change->ended()) {
            end_time_ = monotonic_now();
            observer_->last_look(end_time_, change->code == CLD_EXITED && change->status == 0);
        }
        const auto taken = take_child_change(*change);
        if (!taken) return;
        const int status = *taken;
        // It was stopped or continued a moment ago but is dead by now: then this status was its
        // end.
        const bool gone = WIFEXITED(status) || WIFSIGNALED(status);
        if (!gone) {
            if (is_command && change->stopped()) router_->stop_with(command_, change->status);
            continue;
        }
        // First, so that no failure below loses it.
        if (is_command) {
            wait_status_ = status;
            ended_ = true;
            command_.forget();
        }
        if (is_command && !change->ended()) {
            end_time_ = monotonic_now();
            observer_->last_look(end_time_, WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        errands_.forget(pid);
        if (sentry_ && pid == sentry_->pid()) sentry_->forget();
        if (relay_ && pid == relay_->pid()) {
            relay_->on_end(status);
            if (relay_->pid() > 0) observer_->tree().leave_out(relay_->pid());
        }
        observer_->tree().on_reaped(monotonic_now(), pid, status);
        if (is_command) return;
    }
}

FinishedRun Supervisor::finish() {
    serve_guard(monotonic_now(), observer_->addresses());
    UniqueFd stderr_behind;
    if (relay_) {
        relay_->program_ended();
        if (relay_->flush())
            relay_->await_end();
        else
            stderr_behind = relay_->behind_the_rest();
    }
    format::End end{};
    end.time = end_time_.count();
    end.time_wall = wall_now().count();
    end.wait_status = wait_status_;
    end.complete = 1;
    recorder_.machine->end.put(0, end);
    FinishedRun finished;
    finished.wait_status = wait_status_;
    finished.facts = facts_;
    finished.directory = std::move(recorder_.directory);
    finished.machine_ = std::move(recorder_.machine);
    finished.output_ = std::move(output_);
    finished.stderr_behind = std::move(stderr_behind);
    finished.errands = std::move(errands_);
    if (gpus_) finished.gpu_fd_ = ::fcntl(gpus_->box_fd(), F_DUPFD_CLOEXEC, 3);
    return finished;
}

void Supervisor::warn_once(const std::string& text) {
    if (!std::exchange(warned_, true)) options_->warn(text);
}

// Holdfast itself could not start, but the program must not suffer for it. Returns only if there is
// nothing to run.
Error Supervisor::run_unobserved(const char* why) {
    // Helpers first: they would become the program's children.
    if (relay_) relay_->discard();
    relay_.reset();
    sentry_.reset();
    try {
        if (recorder_.directory) discard(*recorder_.directory);
        // Warn even after another warning: whoever read only that one would think that Holdfast
        // watches.
        options_->warn(std::string(why) + "; the command runs on, unobserved");
    } catch (const std::exception&) {
    }  // no memory for the message
    if (!named_parent_.empty()) ::setenv("JPY_PARENT_PID", named_parent_.c_str(), 1);
    forget_own_limits();
    own_state_.hand_back();
    return replace_by(options_->command);
}

// Something of ours failed while the program ran: only wait for it.
FinishedRun Supervisor::wait_blindly() {
    sigset_t all;
    sigfillset(&all);
    while (!ended_) {
        while (const auto change = next_child_change()) {
            const auto status = take_child_change(*change);
            if (!status) break;
            errands_.forget(change->pid);
            const bool gone = WIFEXITED(*status) || WIFSIGNALED(*status);
            if (gone && relay_ && change->pid == relay_->pid()) relay_->on_end(*status);
            if (change->pid != command_.pid() || !gone) continue;
            wait_status_ = *status;
            ended_ = true;
            command_.forget();
            break;
        }
        if (ended_) break;
        siginfo_t one{};
        if (const int number = ::sigwaitinfo(&all, &one);
            number > 0 && concerns_program(number) && one.si_code <= 0)
            command_.send(number);
    }
    if (relay_) {
        relay_->program_ended();
        if (relay_->flush()) relay_->await_end();
    }
    FinishedRun finished;
    finished.wait_status = wait_status_;
    finished.unobserved = true;
    finished.errands = std::move(errands_);
    return finished;
}

Result<FinishedRun> supervise(const RunOptions& options) { return Supervisor(options).run(); }

}  // namespace holdfast
