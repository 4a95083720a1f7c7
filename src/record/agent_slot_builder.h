// For tests: fills a slot as an agent does.
#pragma once

#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

#include "record/agent_format.h"

namespace holdfast::testing {

class SlotBuilder {
public:
    explicit SlotBuilder(int pid = 100, std::int64_t taken = 1'000)
        : slot_(std::make_unique<format::AgentSlot>()) {
        slot_->pid = pid;
        slot_->generation = 1;
        slot_->start_ticks = 6;
        slot_->taken = taken;
        slot_->python_major = 3;
        slot_->python_minor = 11;
        slot_->python_micro = 7;
        slot_->python_flags = 2;
    }

    std::uint16_t frame(std::string_view file, std::string_view function, std::uint32_t line) {
        const std::uint32_t number = slot_->frame_count++;
        slot_->frames[number] = {text(file), text(function), line, 0};
        return static_cast<std::uint16_t>(number);
    }
    static format::AgentStack stack(std::initializer_list<std::uint16_t> frames) {
        format::AgentStack stack{};
        std::size_t i = 0;
        for (const std::uint16_t frame : frames) stack.frames[i++] = frame;
        while (i < format::agent_frames_per_stack) stack.frames[i++] = format::no_frame;
        return stack;
    }
    void window(std::int64_t end, std::uint64_t step, std::uint64_t rss = format::unknown) {
        format::AgentWindow& window = slot_->memory.windows[slot_->memory.window_count++];
        window.end = end;
        window.step = step;
        window.rss = rss;
        window.gpu_allocated = format::unknown;
    }
    format::AgentSite& site(const format::AgentStack& stack, std::uint64_t live,
                            std::initializer_list<std::uint32_t> mib_at_windows = {}) {
        format::AgentSite& site = slot_->memory.sites[slot_->memory.site_count++];
        site.stack = stack;
        site.live_bytes = site.peak_bytes = site.total_bytes = live;
        site.live_blocks = 1;
        std::size_t i = 0;
        for (const std::uint32_t mib : mib_at_windows) site.live_kib[i++] = mib << 10U;
        return site;
    }

    format::AgentSlot& operator*() { return *slot_; }
    format::AgentSlot* operator->() { return slot_.get(); }
    std::span<const std::byte> bytes() const {
        return {reinterpret_cast<const std::byte*>(slot_.get()), sizeof(format::AgentSlot)};
    }

private:
    format::TextRef text(std::string_view words) {
        const std::uint32_t at = slot_->text_size;
        std::memcpy(slot_->text + at, words.data(), words.size());
        slot_->text_size += static_cast<std::uint32_t>(words.size());
        return {at, static_cast<std::uint32_t>(words.size())};
    }

    std::unique_ptr<format::AgentSlot> slot_;
};

}  // namespace holdfast::testing
