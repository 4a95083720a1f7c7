#include "supervise/headroom_page.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>

#include "record/fixed_fields.h"
#include "supervise/brink.h"

namespace holdfast {
namespace {

using format::GuardPage;
using format::GuardPlace;

// Nothing if the path is too long for the page: those processes are not guarded.
std::optional<GuardPlace> place_of(const CgroupAddress& cgroup) {
    GuardPlace place{};
    if (cgroup.directory.size() >= sizeof place.directory) return std::nullopt;
    place.key = format::guard_hash(cgroup.membership.data(), cgroup.membership.size());
    place.version = static_cast<std::uint32_t>(cgroup.version);
    place.levels = cgroup.version == 0 ? 0 : static_cast<std::uint32_t>(cgroup.levels);
    std::memcpy(place.directory, cgroup.directory.data(), cgroup.directory.size());
    place.check = check_of(place);
    return place;
}

std::uint64_t least(std::optional<Bytes> a, std::optional<Bytes> b) {
    if (a && b) return std::min(a->count, b->count);
    return a ? a->count : b ? b->count : 0;
}

// The agents read all figures at one moment, so theirs are better; ours show what others have taken
// meanwhile. So only ever lower the agents' figure.
void lower(GuardPlace& place, std::uint64_t room, bool first) {
    const std::uint64_t known = std::atomic_ref(place.room).load(std::memory_order_relaxed);
    const std::uint64_t spent = std::atomic_ref(place.spent).load(std::memory_order_relaxed);
    if (!first && room >= known - std::min(spent, known)) return;
    std::atomic_ref(place.spent).store(0, std::memory_order_relaxed);
    std::atomic_ref(place.room).store(room, std::memory_order_relaxed);
}

}  // namespace

Result<HeadroomPage> HeadroomPage::create(const RunDirectory& directory,
                                          const GuardOptions& options) {
    auto file = MappedFile::create(directory.fd(), run_file::guard, format::guard_page_size);
    if (!file) return file.error();
    HeadroomPage made(std::move(file).value());
    format::GuardSettings settings{};
    std::memcpy(settings.magic, format::guard_magic, sizeof settings.magic);
    settings.mode = options.mode;
    settings.reserve = options.reserve ? std::max<std::uint64_t>(options.reserve->count, 1) : 0;
    settings.check = check_of(settings);
    made.page().settings = settings;
    return made;
}

// Writes a place before its key, because readers find it by the key.
void HeadroomPage::publish(Nanos now, const std::vector<CgroupAddress>& cgroups,
                           std::optional<Bytes> machine) {
    GuardPage& shared = page();
    const std::size_t count = std::min<std::size_t>(cgroups.size(), format::guard_places);
    for (std::size_t i = 0; i < count; ++i) {
        GuardPlace& place = shared.places[i];
        if (i >= places_) {
            const std::optional<GuardPlace> fresh = place_of(cgroups[i]);
            if (fresh) {
                GuardPlace unnamed = *fresh;
                unnamed.key = 0;
                place = unnamed;
                std::atomic_ref(place.key).store(fresh->key, std::memory_order_release);
            }
        }
        lower(place, least(cgroups[i].headroom, machine), i >= places_);
    }
    places_ = std::max(places_, count);
    std::atomic_ref(shared.place_count).store(places_, std::memory_order_relaxed);
    tell_of_brink(cgroups);
    std::atomic_ref(shared.alive).store(now.count(), std::memory_order_release);
}

// Wakes once each time: twice the brink must be free again before it wakes anew.
void HeadroomPage::tell_of_brink(const std::vector<CgroupAddress>& cgroups) {
    bool near = false;
    bool well_away = true;
    for (const CgroupAddress& cgroup : cgroups) {
        if (!cgroup.headroom || !cgroup.limit) continue;
        const Bytes brink = BrinkWatch::brink_of(*cgroup.limit);
        near = near || *cgroup.headroom < brink;
        well_away = well_away && *cgroup.headroom >= brink + brink;
    }
    if (near && !at_brink_) {
        at_brink_ = true;
        std::atomic_ref(page().brink).fetch_add(1, std::memory_order_release);
        ::syscall(SYS_futex, &page().brink, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    } else if (well_away) {
        at_brink_ = false;
    }
}

bool HeadroomPage::listens(int pid) {
    for (format::GuardListener& one : page().listeners)
        if (pid > 0 && std::atomic_ref(one.pid).load() == pid)
            return std::atomic_ref(one.answer).load() == 0;
    return false;
}

void HeadroomPage::forget_listeners(const std::function<bool(int)>& alive) {
    for (format::GuardListener& one : page().listeners) {
        std::int32_t pid = std::atomic_ref(one.pid).load();
        if (pid != 0 && !alive(pid)) std::atomic_ref(one.pid).compare_exchange_strong(pid, 0);
    }
}

void HeadroomPage::forget_answers() {
    for (format::GuardListener& one : page().listeners) std::atomic_ref(one.answer).store(0);
}

std::optional<Nanos> HeadroomPage::last_refusal() {
    const std::int64_t time = std::atomic_ref(page().last_refused).load(std::memory_order_acquire);
    return time > 0 ? std::optional(Nanos(time)) : std::nullopt;
}

std::optional<GuardCrossing> HeadroomPage::take_first_event() {
    GuardPage& shared = page();
    if (told_ || std::atomic_ref(shared.first.time).load(std::memory_order_acquire) <= 0)
        return std::nullopt;
    told_ = true;
    const format::GuardEvent event = shared.first;
    if (event.kind == format::GuardEventKind::none || event.kind > format::GuardEventKind::brink)
        return std::nullopt;
    return GuardCrossing{event.kind,        event.pid,          Bytes{event.asked},
                         Bytes{event.room}, Bytes{event.limit}, fixed_text(event.place)};
}

}  // namespace holdfast
