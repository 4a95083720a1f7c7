// One captured run of a training step: births and deaths of storages in order, and library calls.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fit/capture/capture_format.h"
#include "fit/capture/host_memory.h"

namespace holdfast::fit {

struct Site {
    std::string module;
    std::string file;  // empty: no line of the user's
    std::uint32_t line = 0;
};

struct CaptureEvent {
    CaptureEventKind kind = CaptureEventKind::mark;
    StorageRole role = StorageRole::activation;
    Fact fact = Fact::fixed;
    std::uint32_t site = 0;
    std::uint32_t subject = 0;  // alloc, free: the storage, counted by birth; mark: its label
    std::uint32_t first = 0;  // its integers: values[first, first + count); an alloc's size is one
    std::uint32_t count = 0;
};

struct Capture {
    std::string torch;
    std::uint64_t batch = 0;  // 0: not known; the capture then serves for any batch
    std::uint32_t sm = 0;
    double estimate = 0;  // not 0: scaled from small runs; the share by which it may be off
    std::optional<HostFacts> host;
    std::vector<Site> sites;
    std::vector<std::string> marks;
    std::vector<std::string> missing;
    std::vector<CaptureEvent> events;
    std::vector<std::int64_t> values;
    std::uint32_t births = 0;

    std::span<const std::int64_t> values_of(const CaptureEvent& event) const {
        return std::span(values).subspan(event.first, event.count);
    }
};

inline constexpr std::size_t capture_limit = std::size_t{256} << 20U;

// Trusts nothing: checks the checksum, every number and every length.
Result<Capture> parse_capture(std::string_view bytes);
Result<Capture> read_capture(const std::string& path);

}  // namespace holdfast::fit
