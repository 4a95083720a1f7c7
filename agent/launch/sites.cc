#include "agent/launch/sites.h"

namespace holdfast::agent {
namespace {

bool same(const LaunchSite& site, const RawFrame& line, const LaunchStream* stream, bool borrowed) {
    return site.line.code == line.code && site.line.instruction == line.instruction &&
           site.line.first_line == line.first_line && site.stream == stream &&
           site.borrowed == borrowed;
}

}  // namespace

LaunchSite* LaunchSites::find(const void* function, const RawFrame& line, const InnerFrames& inner,
                              LaunchStream* stream, bool borrowed, bool& fresh) {
    const std::uint64_t key = (reinterpret_cast<std::uintptr_t>(function) >> 4U) ^
                              (line.code << 13U) ^ (line.code >> 7U) ^
                              (static_cast<std::uint64_t>(line.instruction) << 36U);
    const std::size_t start = key * 0x9E3779B97F4A7C15U >> 52U;
    static_assert(most_sites == 1U << (64U - 52U));
    for (std::size_t i = 0; i < most_tries; ++i) {
        LaunchSite& site = sites_[(start + i) % most_sites];
        const void* there = site.function.load(std::memory_order_acquire);
        if (there == nullptr) break;
        if (there == function && same(site, line, stream, borrowed)) return &site;
    }
    const Busy inside;
    lock_.lock();
    LaunchSite* made = nullptr;
    for (std::size_t i = 0; i < most_tries && made == nullptr; ++i) {
        LaunchSite& site = sites_[(start + i) % most_sites];
        const void* there = site.function.load(std::memory_order_relaxed);
        if (there == nullptr) {
            site.line = line;
            site.inner = inner;
            site.stream = stream;
            site.stream_key = stream->key.load(std::memory_order_relaxed);
            site.borrowed = borrowed;
            site.function.store(function, std::memory_order_release);
            fresh = true;
            made = &site;
        } else if (there == function && same(site, line, stream, borrowed)) {
            made = &site;  // another thread was here first
        }
    }
    lock_.unlock();
    if (made == nullptr) dropped_.fetch_add(1, std::memory_order_relaxed);
    return made;
}

std::uint32_t LaunchSites::begin_stretch(LaunchSite& site, std::uint32_t stretch,
                                         std::uint32_t count) {
    if (count == 0 || !open(site)) {
        count = 0;
        site.first.store(order_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
    }
    site.stretch.store(stretch, std::memory_order_relaxed);
    return count;
}

LaunchStream* LaunchSites::stream(const void* handle, int device) {
    const std::uint64_t key = key_of(handle, device);
    std::size_t at = key * 0x9E3779B97F4A7C15U >> 58U;
    static_assert(most_streams == 1U << (64U - 58U));
    for (std::size_t i = 0; i < most_streams; ++i, at = (at + 1) % most_streams) {
        std::uint64_t there = streams_[at].key.load(std::memory_order_acquire);
        if (there == key) return &streams_[at];
        if (there == 0 && streams_[at].key.compare_exchange_strong(there, key))
            return &streams_[at];
        if (there == key) return &streams_[at];
    }
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
}

}  // namespace holdfast::agent
