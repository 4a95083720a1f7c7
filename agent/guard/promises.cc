#include "agent/guard/promises.h"

#include <unistd.h>

#include <atomic>

#include "agent/base/self_memory.h"
#include "agent/guard/foresight.h"
#include "agent/heap/next.h"
#include "agent/process/own_process.h"

namespace holdfast::agent {
namespace {

using format::GuardPage;
using format::GuardPromise;

constexpr std::int64_t shortest_promise = 400'000'000;

std::uint64_t own_name() {
    return static_cast<std::uint64_t>(::getpid()) << 32U |
           static_cast<std::uint32_t>(own_thread_id());
}

// Touching goes at a gigabyte a second, on a busy machine at a quarter of that.
std::int64_t time_to_touch(std::uint64_t bytes) {
    if (bytes > static_cast<std::uint64_t>(longest_promise) / 5) return longest_promise;
    return shortest_promise + static_cast<std::int64_t>(bytes) * 4;
}

bool over(const GuardPromise& promise, std::int64_t now, std::int64_t longer = 0) {
    const std::int64_t until =
        std::atomic_ref(const_cast<std::int64_t&>(promise.until)).load(std::memory_order_relaxed);
    if (until > now) return until - now > longest_promise;  // nobody promises so far ahead
    return until <= now - longer;
}

// Bytes of a granted block that are not touched yet; 0 if the block was freed. glibc rewrites the
// word before a block when it is freed, or unmaps it.
std::uint64_t untouched(GuardState& state, std::uint32_t number, std::uint64_t begin) {
    std::uint64_t header = 0;
    if (!SelfMemory().read(begin - sizeof header, &header, sizeof header)) return 0;
    if (header != state.granted_header[number].load(std::memory_order_relaxed)) return 0;
    const auto size =
        static_cast<std::size_t>(state.granted_size[number].load(std::memory_order_relaxed));
    return absent_bytes(reinterpret_cast<const void*>(begin), size, size);
}

// The number of this thread's promise whose block is not known yet.
constinit thread_local std::uint32_t unfulfilled __attribute__((tls_model("initial-exec"))) =
    format::guard_promises;

// The thread's own place, else one that is free or expired.
std::uint32_t find(GuardPage& page, std::uint64_t name, std::int64_t now) {
    for (std::uint32_t i = 0; i < format::guard_promises; ++i)
        if (std::atomic_ref(page.promises[i].owner).load(std::memory_order_relaxed) == name)
            return i;
    for (std::uint32_t i = 0; i < format::guard_promises; ++i) {
        std::uint64_t owner = std::atomic_ref(page.promises[i].owner).load();
        if (owner != 0 && !over(page.promises[i], now)) continue;
        if (std::atomic_ref(page.promises[i].owner).compare_exchange_strong(owner, name)) return i;
    }
    return format::guard_promises;
}

}  // namespace

Promise make_promise(GuardState& state, GuardPage& page, std::uint64_t bytes, std::int64_t now) {
    Promise own;
    own.ticket = std::atomic_ref(page.next_ticket).fetch_add(1) + 1;
    own.number = find(page, own_name(), now);
    if (own.number == format::guard_promises) return own;
    unfulfilled = own.number;
    state.granted[own.number].store(0, std::memory_order_relaxed);
    GuardPromise& promise = page.promises[own.number];
    std::atomic_ref(promise.bytes).store(bytes, std::memory_order_relaxed);
    std::atomic_ref(promise.ticket).store(own.ticket, std::memory_order_relaxed);
    std::atomic_ref(promise.until).store(now + time_to_touch(bytes), std::memory_order_release);
    return own;
}

void take_back(GuardPage& page, const Promise& promise) {
    if (promise.number >= format::guard_promises) return;
    std::atomic_ref(page.promises[promise.number].until).store(0, std::memory_order_release);
    std::atomic_ref(page.promises[promise.number].owner).store(0, std::memory_order_release);
}

bool awaits_block() { return unfulfilled != format::guard_promises; }

void promise_is_about(GuardState& state, const void* block, std::size_t size) {
    const std::uint32_t number = unfulfilled;
    if (number == format::guard_promises) return;
    unfulfilled = format::guard_promises;
    const bool glibc = next.code_begin == 0;
    if (block == nullptr || !glibc) return;
    state.granted_header[number].store(static_cast<const std::uint64_t*>(block)[-1],
                                       std::memory_order_relaxed);
    state.granted_size[number].store(size, std::memory_order_relaxed);
    state.granted[number].store(reinterpret_cast<std::uintptr_t>(block), std::memory_order_release);
}

Promised promised_before(GuardState& state, GuardPage& page, const Promise& own, std::int64_t now) {
    Promised sum;
    for (std::uint32_t i = 0; i < format::guard_promises; ++i) {
        GuardPromise& promise = page.promises[i];
        if (i == own.number) continue;
        if (std::atomic_ref(promise.ticket).load(std::memory_order_relaxed) >= own.ticket) continue;
        const std::uint64_t begin = state.granted[i].load(std::memory_order_acquire);
        const bool ours = begin != 0 && std::atomic_ref(promise.owner).load() >> 32U ==
                                            static_cast<std::uint64_t>(::getpid());
        // The thread that got it may be waiting for a lock that the caller holds. So for blocks of
        // this process the pages decide, not the time.
        const bool late = over(promise, now, ours ? longest_promise : 0);
        if (late && !ours) continue;
        std::uint64_t bytes = std::atomic_ref(promise.bytes).load();
        if (ours) {
            bytes = untouched(state, i, begin);
            const bool in_part = bytes < state.granted_size[i].load(std::memory_order_relaxed);
            if (late && in_part) sum.begun += bytes;
            if (late) continue;
            sum.here += bytes;
        }
        if (__builtin_add_overflow(sum.all, bytes, &sum.all)) sum.all = ~0ULL;
    }
    return sum;
}

}  // namespace holdfast::agent
