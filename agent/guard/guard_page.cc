#include "agent/guard/guard_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "agent/base/private_memory.h"
#include "agent/base/raw_calls.h"
#include "agent/base/spin_lock.h"
#include "agent/box/run_file.h"
#include "agent/guard/headroom.h"
#include "agent/process/own_variables.h"
#include "agent/process/quiet.h"

namespace holdfast::agent {
namespace {

using format::GuardPage;
using format::GuardPlace;

constexpr std::int64_t between_tries = 20'000'000;

std::atomic<GuardPage*> mapped{nullptr};  // a shared mapping: a child has it too
std::atomic<GuardState*> made{nullptr};

GuardPage* map_page() {
    const int fd = open_run_file("guard.box", O_RDWR, format::guard_page_size);
    if (fd < 0) return nullptr;
    void* at = ::mmap(nullptr, format::guard_page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    raw_close(fd);
    return at == MAP_FAILED ? nullptr : static_cast<GuardPage*>(at);
}

bool make_ready() {
    GuardPage* page = mapped.load(std::memory_order_acquire);
    if (page == nullptr) {
        page = map_page();
        if (page == nullptr) return false;
        mapped.store(page, std::memory_order_release);
    }
    const format::GuardSettings settings = page->settings;
    return std::memcmp(settings.magic, format::guard_magic, sizeof settings.magic) == 0 &&
           settings.check == check_of(settings) && settings.mode != format::GuardMode::off;
}

GuardState* first_time() {
    if (supervised_run().empty()) return nullptr;
    const Busy inside;
    auto* fresh = static_cast<GuardState*>(wiped_on_fork(sizeof(GuardState)));
    GuardState* none = nullptr;
    if (fresh == nullptr) return nullptr;
    return made.compare_exchange_strong(none, fresh) ? fresh : none;
}

std::uint64_t own_key() {
    char text[4096];
    const std::size_t size = read_small_file("/proc/self/cgroup", text, sizeof text);
    return size == 0 ? 0 : format::guard_hash(text, size);
}

bool sound(const GuardPlace& place) {
    return place.check == check_of(place) && place.version <= 2 && place.levels <= 64 &&
           std::memchr(place.directory, 0, sizeof place.directory) != nullptr;
}

}  // namespace

GuardPage* guard_page() { return mapped.load(std::memory_order_acquire); }

GuardState* guard_state() {
    if (quiet()) return nullptr;
    GuardState* state = made.load(std::memory_order_acquire);
    if (state == nullptr) {
        state = first_time();
        if (state == nullptr) return nullptr;
    }
    std::uint32_t stage = state->stage.load(std::memory_order_acquire);
    if (stage == 2) return state;
    if (stage != 0 || !state->stage.compare_exchange_strong(stage, 1)) return nullptr;
    const Busy inside;
    const bool ready = make_ready();
    state->stage.store(ready ? 2 : 3, std::memory_order_release);
    return ready ? state : nullptr;
}

bool guard_settings(format::GuardSettings& settings, std::int64_t now) {
    GuardPage* page = guard_page();
    settings = page->settings;
    const std::int64_t alive = std::atomic_ref(page->alive).load(std::memory_order_relaxed);
    return std::memcmp(settings.magic, format::guard_magic, sizeof settings.magic) == 0 &&
           settings.check == check_of(settings) && settings.mode != format::GuardMode::off &&
           alive <= now && now - alive < format::guard_stale_after;
}

GuardPlace* own_place(GuardState& state, std::int64_t now, bool anew, GuardPlace& copy) {
    GuardPage* page = guard_page();
    const std::uint32_t known = state.place.load(std::memory_order_relaxed);
    if (known != 0 && !anew) {
        std::memcpy(&copy, &page->places[known - 1], sizeof copy);
        return sound(copy) ? &page->places[known - 1] : nullptr;
    }
    std::int64_t due = state.next_try.load(std::memory_order_relaxed);
    if (!anew && (now < due || !state.next_try.compare_exchange_strong(due, now + between_tries)))
        return nullptr;
    const std::uint64_t key = own_key();
    for (std::uint32_t i = 0; key != 0 && i < format::guard_places; ++i) {
        if (std::atomic_ref(page->places[i].key).load(std::memory_order_acquire) != key) continue;
        std::memcpy(&copy, &page->places[i], sizeof copy);
        if (copy.key != key || !sound(copy)) continue;
        state.place.store(i + 1, std::memory_order_relaxed);
        return &page->places[i];
    }
    state.place.store(0, std::memory_order_relaxed);
    return nullptr;
}

}  // namespace holdfast::agent
