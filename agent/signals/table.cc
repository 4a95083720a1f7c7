// The table behind signals/table.h. A handler reads it at any moment, on any thread, also in a
// child forked in the middle of a change: so each entry keeps several copies and one index.
#include "agent/signals/table.h"

#include <errno.h>

#include <atomic>

#include "agent/base/private_memory.h"
#include "agent/base/real.h"
#include "agent/base/spin_lock.h"
#include "agent/guard/brink_call.h"
#include "agent/signals/program_stack.h"
#include "agent/signals/signal_set.h"
#include "agent/signals/signal_stack.h"

namespace holdfast::agent {
namespace {

constexpr int signal_count = 64;
constexpr unsigned copies = 4;

struct Entry {
    std::atomic<const Front*> front;
    std::atomic<unsigned> current;
    struct sigaction copy[copies];
};
constinit Entry table[signal_count + 1] = {};
constinit std::atomic<SignalHandler> stepped_aside{nullptr};

// Wiped by fork: the child's lock is free, and it sees that it is a new process.
struct OwnProcess {
    SpinLock lock;
    std::atomic<int> pid;
};
constinit std::atomic<OwnProcess*> process{nullptr};

constinit Real<decltype(&::sigaction)> real_sigaction{"sigaction"};

// A handler of the program may call sigaction, too, so the holder of the lock must not be
// interrupted.
class Locked {
public:
    explicit Locked(OwnProcess& of) : lock_(of.lock) { lock_.lock(); }
    ~Locked() { lock_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    AllBlocked blocked_;
    SpinLock& lock_;
};

OwnProcess* make_process() {
    OwnProcess* made = process.load(std::memory_order_acquire);
    if (made != nullptr) return made;
    made = static_cast<OwnProcess*>(wiped_on_fork(sizeof(OwnProcess)));
    if (made == nullptr) return nullptr;
    made->pid.store(::getpid(), std::memory_order_relaxed);
    OwnProcess* before = nullptr;
    if (!process.compare_exchange_strong(before, made)) return before;
    return made;
}

void store(Entry& entry, const struct sigaction& action) {
    const unsigned next = (entry.current.load(std::memory_order_relaxed) + 1) % copies;
    entry.copy[next] = action;
    entry.current.store(next, std::memory_order_release);
}

struct sigaction load(const Entry& entry) {
    for (int attempt = 0;; ++attempt) {
        const unsigned current = entry.current.load(std::memory_order_acquire);
        const struct sigaction action = entry.copy[current];
        std::atomic_thread_fence(std::memory_order_acquire);
        if (entry.current.load(std::memory_order_relaxed) == current || attempt == 8) return action;
    }
}

// The flags the kernel knows; it drops others (since Linux 5.11), so that programs can ask.
constexpr unsigned known_flags = SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | 0x800U | SA_ONSTACK |
                                 SA_RESTART | SA_NODEFER | SA_RESETHAND;

// The answer that the kernel would give: with its own flag and return address, without these two
// signals.
struct sigaction as_kept(struct sigaction action, const struct sigaction& kernel) {
    put_mask(action.sa_mask, mask_of(action.sa_mask) & ~(mask_of(SIGKILL) | mask_of(SIGSTOP)));
    action.sa_flags = static_cast<int>(static_cast<unsigned>(action.sa_flags) & known_flags);
#ifdef __x86_64__
    constexpr int has_restorer = 0x04000000;
    action.sa_flags |= has_restorer;
    action.sa_restorer = kernel.sa_restorer;
#else
    (void)kernel;
#endif
    return action;
}

int install(int number, const Front& front, const struct sigaction& theirs) {
    const bool aside = theirs.sa_handler == SIG_DFL && stepped_aside.load() == front.handler;
    if (theirs.sa_handler == SIG_IGN || aside) return real_sigaction()(number, &theirs, nullptr);
    const struct sigaction ours = front.before(theirs);
    return real_sigaction()(number, &ours, nullptr);
}

// As libc does it: only as much of the mask as the kernel knows.
void show(struct sigaction* to, const struct sigaction& action) {
    if (to == nullptr) return;
    to->sa_sigaction = action.sa_sigaction;
    put_mask(to->sa_mask, mask_of(action.sa_mask));
    to->sa_flags = action.sa_flags;
    to->sa_restorer = action.sa_restorer;
}

// What the program set, if the kernel still has what we made of it. If a call bypassed us (libc's
// own system(3), a raw system call), the kernel's setting counts.
struct sigaction as_seen(const struct sigaction& kernel, const Front& front,
                         struct sigaction stored) {
    if (kernel.sa_sigaction == front.handler) return stored;
    // Perhaps only a flag was changed; a one-time handler removes itself.
    const struct sigaction ours = front.before(stored);
    const auto flags = static_cast<unsigned>(kernel.sa_flags ^ ours.sa_flags);
    const bool once = (static_cast<unsigned>(stored.sa_flags) & SA_RESETHAND) != 0;
    if ((flags & known_flags) != 0 ||
        (kernel.sa_sigaction != ours.sa_sigaction && !(once && kernel.sa_handler == SIG_DFL)))
        return kernel;
    stored.sa_sigaction = kernel.sa_sigaction;
    return stored;
}

const Front* front_of(int number) {
    if (number < 1 || number > signal_count) return nullptr;
    return table[number].front.load(std::memory_order_acquire);
}

// A setting that bypassed us stays.
void set_defaults_again(SignalHandler ours) {
    const Locked locked(*process.load(std::memory_order_acquire));
    for (int number = 1; number <= signal_count; ++number) {
        const Front* front = front_of(number);
        struct sigaction kernel {};
        if (front == nullptr || front->handler != ours) continue;
        const struct sigaction stored = load(table[number]);
        if (stored.sa_handler != SIG_DFL || real_sigaction()(number, nullptr, &kernel) != 0)
            continue;
        if (kernel.sa_sigaction == ours || kernel.sa_handler == SIG_DFL)
            install(number, *front, stored);
    }
}

}  // namespace

bool own_process() {
    OwnProcess* known = process.load(std::memory_order_acquire);
    if (known == nullptr) return false;
    const int own = ::getpid();
    int pid = known->pid.load(std::memory_order_relaxed);
    if (pid == own) return true;
    // A child of vfork in a fresh child of fork may have left its own number here.
    if (pid != 0) {
        const int error = errno;
        const bool lives = ::kill(pid, 0) == 0 || errno != ESRCH;
        errno = error;
        if (lives) return false;
    }
    return known->pid.compare_exchange_strong(pid, own) || pid == own;
}

bool in_vfork_child() {
    return process.load(std::memory_order_acquire) != nullptr && !own_process();
}

bool stand_before(int number, const Front& front) {
    if (number < 1 || number > signal_count) return false;
    OwnProcess* own = make_process();
    if (own == nullptr || !own_process()) return false;
    const Locked locked(*own);
    Entry& entry = table[number];
    struct sigaction kernel {};
    if (entry.front.load() != nullptr || real_sigaction()(number, nullptr, &kernel) != 0)
        return false;
    store(entry, kernel);
    entry.front.store(&front, std::memory_order_release);
    // An unchanged action is not set again: the kernel would then report it as set.
    if (kernel.sa_handler != SIG_IGN && front.before(kernel).sa_sigaction != kernel.sa_sigaction)
        install(number, front, kernel);
    return true;
}

struct sigaction program_action(int number) {
    return load(table[number]);
}

int program_sigaction(int number, const struct sigaction* action, struct sigaction* before) {
    if (action != nullptr && number == brink_signal() && own_process()) stop_listening();
    if (action != nullptr && front_of(number) == nullptr) stand_before_on_stack(number, *action);
    const Front* front = front_of(number);
    if (front == nullptr) return real_sigaction()(number, action, before);
    if (!own_process()) {
        const int result = real_sigaction()(number, action, before);
        if (result == 0 && before != nullptr)
            show(before, as_seen(*before, *front, program_action(number)));
        return result;
    }
    const Locked locked(*process.load(std::memory_order_acquire));
    Entry& entry = table[number];
    struct sigaction kernel {};
    if (const int result = real_sigaction()(number, nullptr, &kernel); result != 0) return result;
    const struct sigaction was = as_seen(kernel, *front, load(entry));
    int result = 0;
    if (action != nullptr) {
        struct sigaction kept = as_kept(*action, kernel);
        store(entry, kept);
        result = install(number, *front, kept);
        if (kept.sa_restorer == nullptr && real_sigaction()(number, nullptr, &kernel) == 0)
            store(entry, as_kept(kept, kernel));
    }
    if (result == 0) show(before, was);
    return result;
}

void run_on_alternate_stack(int number) {
    if (make_process() == nullptr || !own_process()) return;
    const Locked locked(*process.load(std::memory_order_acquire));
    Entry& entry = table[number];
    struct sigaction action {};
    if (real_sigaction()(number, nullptr, &action) != 0) return;
    if (front_of(number) != nullptr) action = load(entry);
    if (!is_handler(action)) return;
    entry.front.store(nullptr, std::memory_order_release);
    action.sa_flags |= SA_ONSTACK;
    real_sigaction()(number, &action, nullptr);
}

void install_again() {
    if (!own_process()) return;
    const Locked locked(*process.load(std::memory_order_acquire));
    for (int number = 1; number <= signal_count; ++number) {
        const Front* front = front_of(number);
        struct sigaction kernel {};
        if (front == nullptr || real_sigaction()(number, nullptr, &kernel) != 0) continue;
        const struct sigaction stored = load(table[number]);
        if (!is_handler(stored)) continue;
        if (kernel.sa_sigaction == front->handler || kernel.sa_sigaction == stored.sa_sigaction)
            install(number, *front, stored);
    }
}

void step_aside(SignalHandler ours) {
    if (!own_process()) return;
    stepped_aside.store(ours);
    set_defaults_again(ours);
}

void step_back(SignalHandler ours) {
    if (stepped_aside.load(std::memory_order_relaxed) != ours || !own_process()) return;
    stepped_aside.store(nullptr);
    set_defaults_again(ours);
}

void leave_signals() {
    leave_handlers_on_stack();
    drop_signal_stack();
    if (!own_process()) return;
    const Locked locked(*process.load(std::memory_order_acquire));
    for (int number = 1; number <= signal_count; ++number) {
        const Front* front = front_of(number);
        struct sigaction kernel {};
        if (front == nullptr || real_sigaction()(number, nullptr, &kernel) != 0) continue;
        const struct sigaction seen = as_seen(kernel, *front, load(table[number]));
        if (seen.sa_sigaction != kernel.sa_sigaction || seen.sa_flags != kernel.sa_flags)
            real_sigaction()(number, &seen, nullptr);
        table[number].front.store(nullptr, std::memory_order_release);
    }
}

void forget_handler(int number) {
    struct sigaction action = program_action(number);
    action.sa_handler = SIG_DFL;
    if (own_process())
        program_sigaction(number, &action, nullptr);
    else
        real_sigaction()(number, &action, nullptr);
}

void set_restart(int number, bool restart) {
    if (front_of(number) == nullptr || !own_process()) return;
    const Locked locked(*process.load(std::memory_order_acquire));
    struct sigaction action = load(table[number]);
    action.sa_flags = restart ? action.sa_flags | SA_RESTART : action.sa_flags & ~SA_RESTART;
    store(table[number], action);
}

void default_follows(int number, const siginfo_t& info, bool comes_again) {
    struct sigaction action {};
    action.sa_handler = SIG_DFL;
    real_sigaction()(number, &action, nullptr);
    if (comes_again) return;
    // Blocked until the handler returns, so that the core shows where the program was.
    change_mask(SIG_BLOCK, mask_of(number));
    const long pid = ::getpid();
    const long tid = ::syscall(SYS_gettid);
    if (::syscall(SYS_rt_tgsigqueueinfo, pid, tid, number, &info) != 0)
        ::syscall(SYS_tgkill, pid, tid, number);
}

}  // namespace holdfast::agent
