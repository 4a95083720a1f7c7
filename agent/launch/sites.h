// Which lines launched which kernels since the GPU was last known to be fine. There is one entry
// for each kernel, line and stream, not one for each launch, so no launch is lost, however many
// there are.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/base/spin_lock.h"
#include "agent/launch/own_line.h"
#include "agent/python/stack.h"

namespace holdfast::agent {

// A stream of one device. A wait for it begins a new stretch; one that ended well settles all
// stretches before it. A launch during a wait belongs to the new stretch.
struct LaunchStream {
    std::atomic<std::uint64_t> key;  // 0: free; see LaunchSites::key_of
    std::atomic<std::uint32_t> stretch, settled;
};

struct LaunchSite {
    std::atomic<const void*> function;  // null: free
    RawFrame line;                      // code 0: no line of the program's own
    InnerFrames inner;                  // between the line and the launch
    LaunchStream* stream;
    std::uint64_t stream_key;
    bool borrowed;  // by a thread without Python: the line that launched last
    std::atomic<std::uint32_t> stretch;
    std::atomic<std::uint32_t> count;  // since the last good wait
    std::atomic<std::uint32_t> first;  // order of the first of these among all sites
};

// Zeroed is empty; in memory that fork wipes.
class LaunchSites {
public:
    // Null where there is no room; `fresh` tells that it is new.
    LaunchSite* find(const void* function, const RawFrame& line, const InnerFrames& inner,
                     LaunchStream* stream, bool borrowed, bool& fresh);
    // After the launch: a wait that began before it does not settle it.
    [[gnu::always_inline]] void launched(LaunchSite& site) {
        const std::uint32_t stretch = site.stream->stretch.load(std::memory_order_acquire);
        std::uint32_t count = site.count.load(std::memory_order_relaxed);
        if (site.stretch.load(std::memory_order_relaxed) != stretch || count == 0)
            count = begin_stretch(site, stretch, count);
        site.count.store(count + 1, std::memory_order_relaxed);
    }
    // Null if there is no room: launches there are not recorded.
    LaunchStream* stream(const void* handle, int device);
    static std::uint64_t key_of(const void* handle, int device) {
        // No address reaches there, and device 0 counts from 1: a key is never 0.
        return reinterpret_cast<std::uintptr_t>(handle) ^ device_bits(device) << 56U;
    }

    // The site of this kernel that was last seen below this innermost code; the caller must compare
    // the frames and the stream.
    [[gnu::always_inline]] LaunchSite* last_met(const void* function, std::uintptr_t code) {
        LaunchSite* site = met(function, code).load(std::memory_order_acquire);
        return site != nullptr && site->function.load(std::memory_order_relaxed) == function
                   ? site
                   : nullptr;
    }
    void keep_met(LaunchSite* site, std::uintptr_t code) {
        met(site->function.load(std::memory_order_relaxed), code)
            .store(site, std::memory_order_release);
    }

    // Before a wait for one stream: if the wait ends well, it settles what this returned.
    static std::uint32_t begin_wait(LaunchStream& stream) {
        return stream.stretch.fetch_add(1, std::memory_order_acq_rel) + 1;
    }
    static void end_wait(LaunchStream& stream, std::uint32_t stretch) {
        std::uint32_t before = stream.settled.load(std::memory_order_relaxed);
        while (before < stretch && !stream.settled.compare_exchange_weak(before, stretch)) {
        }
    }

    // Whether it was launched since its stream last ended a wait well.
    static bool open(const LaunchSite& site) {
        return site.count.load(std::memory_order_relaxed) > 0 &&
               site.stretch.load(std::memory_order_relaxed) >=
                   site.stream->settled.load(std::memory_order_acquire);
    }
    template <class Visit>
    void each(Visit&& visit) const {
        for (const LaunchSite& site : sites_)
            if (site.function.load(std::memory_order_acquire) != nullptr) visit(site);
    }
    template <class Visit>
    void each_stream(int device, Visit&& visit) {
        for (LaunchStream& stream : streams_) {
            const std::uint64_t key = stream.key.load(std::memory_order_acquire);
            if (key != 0 && key >> 56U == device_bits(device)) visit(stream);
        }
    }
    std::uint32_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

    static constexpr std::size_t most_streams = 64;

private:
    static constexpr std::size_t most_sites = 4096;
    static constexpr std::size_t most_tries = 32;
    static constexpr std::size_t most_met = 1024;

    std::atomic<LaunchSite*>& met(const void* function, std::uintptr_t code) {
        return met_[((reinterpret_cast<std::uintptr_t>(function) >> 4U) ^ (code >> 4U)) % most_met];
    }
    static std::uint64_t device_bits(int device) {
        return static_cast<std::uint64_t>(device & 0x7f) + 1;
    }
    std::uint32_t begin_stretch(LaunchSite& site, std::uint32_t stretch, std::uint32_t count);

    SpinLock lock_;
    std::atomic<std::uint32_t> order_, dropped_;
    LaunchStream streams_[most_streams];
    LaunchSite sites_[most_sites];
    std::atomic<LaunchSite*> met_[most_met];
};

}  // namespace holdfast::agent
