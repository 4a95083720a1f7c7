// HF109, HF112 and HF113 in words: memory watchdogs, swapping, and shared memory.
#include "diagnose/facts/memory.h"
#include "base/format.h"
#include "diagnose/death/disk_room.h"
#include "diagnose/words/account.h"
#include "diagnose/words/memory_fixes.h"
#include "diagnose/words/phrases.h"

namespace holdfast::facts {

void tell(const MemoryWatcher& facts, const Autopsy& death, Account& account) {
    if (facts.signal != nullptr) {
        account = account_of(death, formatted("{} ended {} because memory was running out.",
                                              sender_of(*facts.signal), who(death)));
        account.saw("sender of SIGTERM", sender_of(*facts.signal));
        account.advise(need_less(death));
        return;
    }
    account = account_of(
        death, formatted("systemd-oomd has marked the cgroup of {} as killed by it.", who(death)));
    account.saw("user.oomd_kill", *death.cgroup()->userspace_oom_mark);
    account.advise(need_less(death));
    account.advise("Ask systemd-oomd to spare this unit.", "ManagedOOMPreference=avoid");
}

void tell(const SwapThrash&, const Autopsy& death, Account& account) {
    const PressureEvidence& pressure = death.all.pressure;
    const double faults = pressure.major_faults_per_second.value_or(0);
    const double swapped = pressure.swap_in_pages_per_second.value_or(0);
    account.summary = formatted(
        "In its last minute, everything waited {:.0f} % of the time for memory to come back from "
        "{}.",
        *pressure.memory_full, swapped >= 100 ? "swap" : "disk");
    if (!death.lives) account.evidence.push_back(status_of(death));
    account.saw("memory.pressure", formatted("full {:.1f} %", *pressure.memory_full));
    if (pressure.major_faults_per_second)
        account.saw("major page faults", formatted("{:.0f} per second", faults));
    if (pressure.swap_in_pages_per_second)
        account.saw("swapped in", formatted("{:.0f} pages per second", swapped));
    if (death.process != nullptr && death.process->swap)
        account.saw("in swap", human(*death.process->swap));
    account.advise(need_less(death));
}

void tell(const ShmFull& facts, const Autopsy& death, Account& account) {
    const DiskEvidence* shm = facts.shm;
    const std::optional<Bytes> free = shm != nullptr ? least_free(*shm) : std::nullopt;
    const std::string size = shm != nullptr && shm->size ? human(*shm->size) : "its size unknown";
    account = account_of(
        death, facts.was_full
                   ? formatted("/dev/shm ({}) was full: {} were left when {} needed shared memory.",
                               size, human(*free), who(death))
                   : formatted("{} could get no shared memory (/dev/shm, {}).", who(death), size));
    if (facts.said) account.saw(facts.said->source, shortened(facts.said->line));
    if (facts.by_itself)
        account.saw("shared memory of the process",
                    formatted("{} of {}", human(*death.process->shmem), size));
    else if (shm != nullptr && shm->size && free)
        account.saw("statvfs /dev/shm", formatted("{} free of {}", human(*free), size));
    if (shm != nullptr && shm->size) {
        const Bytes wanted = roomier(Bytes{shm->size->count * 2});
        account.advise(formatted("Give /dev/shm more than the {} it has.", size),
                       formatted("docker run --shm-size={}m ...", wanted.count >> 20U));
    } else {
        account.advise("Give /dev/shm more room.", "docker run --shm-size=2g ...");
    }
    if (death.python())
        account.advise("Use fewer data-loader workers, or let them prefetch less.",
                       "DataLoader(..., num_workers=1, prefetch_factor=1)");
    if (death.python()) account.advise(load_within(death, "holdfast.Loader.like(dataloader"));
}

}  // namespace holdfast::facts
