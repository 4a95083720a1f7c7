#include "supervise/sentry.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>
#include <utility>

#include "base/read_file.h"
#include "base/text.h"
#include "base/time.h"
#include "sources/pid_figures.h"
#include "sources/pid_stat.h"
#include "sources/vmstat.h"
#include "supervise/bystander.h"
#include "supervise/crash_mark.h"
#include "supervise/loss_record.h"
#include "supervise/process_end.h"

namespace holdfast {

// Shared with the sentry, so that a farewell is a single store, which a signal handler can do, too.
class Sentry::Page {
public:
    static std::unique_ptr<Page> make() {
        void* at = ::mmap(nullptr, sizeof(FarewellPage), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) return nullptr;
        return std::unique_ptr<Page>(new Page(static_cast<FarewellPage*>(at)));
    }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
    ~Page() { ::munmap(page_, sizeof(FarewellPage)); }

    FarewellPage* get() const { return page_; }
    FarewellPage* operator->() const { return page_; }

private:
    explicit Page(FarewellPage* page) : page_(page) {}
    FarewellPage* page_;
};

namespace {

struct Request {
    char operation = 0;  // 'g'uard a pid, 't'ake off, 'w'atch a pid, 's'tand down
    std::uint64_t argument = 0;
};

void take_off_pending(SignalBits signals) {
    sigset_t set;
    sigemptyset(&set);
    for (int number = 1; number <= 64; ++number)
        if ((signals & signal_bit(number)) != 0) sigaddset(&set, number);
    const timespec at_once{};
    while (::sigtimedwait(&set, nullptr, &at_once) > 0) {
    }
}

void block_all() {
    sigset_t all;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
}

bool stopped(pid_t pid) {
    const auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
    if (!text) return false;
    const auto stat = sources::parse_pid_stat(*text);
    return stat && (stat->state == 'T' || stat->state == 't');
}

std::optional<std::uint64_t> oom_kills_now() {
    const auto text = read_file("/proc/vmstat");
    if (!text) return std::nullopt;
    const auto stat = sources::parse_vmstat(*text);
    return stat ? stat->oom_kill : std::nullopt;
}

class Watch {
public:
    Watch(int channel, pid_t supervisor, FarewellPage& page, const SentryDuty& duty)
        : channel_(channel), supervisor_(supervisor), page_(&page), duty_(duty) {}

    int stand() {
        for (;;) {
            pollfd wait{channel_, POLLIN, 0};
            const int ready = ::poll(&wait, 1, watched_ != 0 ? 100 : -1);
            if (ready == 0 && watched_ != 0 && !stopped(watched_)) wake_supervisor();
            if (ready <= 0) continue;
            Request request;
            if (::recv(channel_, &request, sizeof request, 0) !=
                static_cast<ssize_t>(sizeof request))
                return supervisor_gone();
            serve(request);
            const char done = 1;
            if (::send(channel_, &done, 1, MSG_NOSIGNAL) != 1) return supervisor_gone();
        }
    }

private:
    void serve(const Request& request) {
        const auto pid = static_cast<pid_t>(request.argument);
        switch (request.operation) {
        case 'g':
            program_ = open_pidfd(pid);
            process_.reset(::open(("/proc/" + std::to_string(pid)).c_str(),
                                  O_RDONLY | O_DIRECTORY | O_CLOEXEC));
            break;
        case 't': take_off_pending(request.argument); break;
        case 'w': watched_ = pid; break;
        case 's': watched_ = 0; break;
        default: break;
        }
    }

    void wake_supervisor() const {
        const auto parent =
            ProcessHandle::open(supervisor_, [this] { return ::getppid() == supervisor_; });
        if (parent) parent->send(SIGCONT);
    }

    bool program_lives() const {
        pollfd look{program_.get(), POLLIN, 0};
        return program_ && ::poll(&look, 1, 0) == 0;
    }

    LossReason reason() const {
        if (page_->farewell.load() == Farewell::crashing) return LossReason::crashed;
        const auto now = oom_kills_now();
        return now && *now != page_->oom_kills.load() ? LossReason::oom_killer : LossReason::killed;
    }

    int supervisor_gone() {
        if (page_->farewell.load() == Farewell::ended) return 0;
        auto record = LossRecord::open(duty_.machine_box);
        if (record && record->has_end()) return 0;
        const LossReason why = reason();
        const bool pass = duty_.pass_kill && why == LossReason::killed && program_lives() &&
                          send_by_pidfd(program_.get(), SIGKILL);
        if (!record) return 0;
        record->supervisor_lost(monotonic_now(), why, pass);
        if (!program_) return 0;
        pollfd wait{program_.get(), POLLIN, 0};
        while (::poll(&wait, 1, -1) < 0 && errno == EINTR) {
        }
        auto status = end_of_process(program_.get(), process_.get());
        if (!status && pass) status = SIGKILL;
        record->program_ended(monotonic_now(), wall_now(), status);
        return 0;
    }

    int channel_;
    pid_t supervisor_;
    FarewellPage* page_;
    SentryDuty duty_;
    pid_t watched_ = 0;
    UniqueFd program_;
    UniqueFd process_;
};

}  // namespace

Sentry::Sentry(Sentry&&) noexcept = default;

Sentry& Sentry::operator=(Sentry&& other) noexcept {
    if (this == &other) return *this;
    if (page_) mark_crashes_on(other.page_ ? other.page_->get() : nullptr);
    child_.end();
    child_ = std::move(other.child_);
    channel_ = std::move(other.channel_);
    page_ = std::move(other.page_);
    offered_ = std::exchange(other.offered_, 0);
    return *this;
}

Sentry::~Sentry() {
    if (!page_) return;
    page_->get()->farewell.store(Farewell::ended);
    mark_crashes_on(nullptr);
    child_.end();
}

Result<Sentry> Sentry::start(const SentryDuty& duty) {
    Sentry sentry;
    sentry.page_ = Page::make();
    if (!sentry.page_) return Error::from_errno("cannot share a page");
    FarewellPage& page = *sentry.page_->get();
    page.oom_kills.store(oom_kills_now().value_or(0));
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return Error::from_errno("cannot make a socket pair");
    sentry.channel_.reset(ends[0]);
    const UniqueFd theirs(ends[1]);
    const pid_t supervisor = ::getpid();
    auto child = Child::start([&] {
        block_all();
        become_bystander("holdfast-sentry", {theirs.get(), duty.machine_box});
        return Watch(theirs.get(), supervisor, page, duty).stand();
    });
    if (!child) return child.error();
    sentry.child_ = std::move(child).value();
    mark_crashes_on(&page);
    return sentry;
}

void Sentry::guard(pid_t program) { ask('g', static_cast<std::uint64_t>(program)); }

SignalBits Sentry::pending() const {
    if (!channel_) return 0;
    const auto text = read_file("/proc/" + std::to_string(pid()) + "/status");
    if (!text) return 0;
    const auto status = sources::parse_pid_status(*text);
    return status ? status->pending_process.value_or(0) | status->pending_thread.value_or(0) : 0;
}

void Sentry::take_off(SignalBits signals) { ask('t', signals); }

void Sentry::wake_us_when_running(pid_t program) { ask('w', static_cast<std::uint64_t>(program)); }

void Sentry::stand_down() { ask('s', 0); }

void Sentry::note_oom_kills(std::uint64_t count) {
    if (page_) page_->get()->oom_kills.store(count, std::memory_order_relaxed);
}

// One point of the score counts as a thousandth of the limit. The sentry's score must be the
// largest except for the program's, but no larger: under another limit (the machine's) it counts
// for much more.
void Sentry::stand_in_for_us(Bytes limit) {
    constexpr Bytes more_than_we_hold = Bytes::mib(12);
    constexpr long most = 500;
    const auto thousandths = static_cast<long>(more_than_we_hold.count * 1000 / (limit.count + 1));
    const long offer = std::min(thousandths + 1, most);
    if (!channel_ || offer == offered_) return;
    const std::string path = "/proc/" + std::to_string(pid()) + "/oom_score_adj";
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    const std::string text = std::to_string(offer);
    if (file && ::write(file.get(), text.data(), text.size()) > 0) offered_ = offer;
}

void Sentry::forget() {
    channel_.reset();
    child_.forget();
}

bool Sentry::ask(char operation, std::uint64_t argument) {
    if (!channel_) return false;
    const Request request{operation, argument};
    if (::send(channel_.get(), &request, sizeof request, MSG_NOSIGNAL) < 0) return false;
    // Wait only for a while: a sentry that somebody stopped must not stop the supervisor.
    pollfd wait{channel_.get(), POLLIN, 0};
    char done = 0;
    return ::poll(&wait, 1, 200) == 1 && ::recv(channel_.get(), &done, 1, 0) == 1;
}

}  // namespace holdfast
