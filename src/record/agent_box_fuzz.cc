// Any bytes as an agent's slot: the answer must be bounded, and every number in it must point
// somewhere.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "record/agent_box.h"

namespace {

using namespace holdfast;

void check(const AgentRecord& agent, const FrameNumbers& stack) {
    for (const std::uint16_t number : stack)
        if (number >= agent.frames.size()) std::abort();
}

void read_whole(std::span<const std::byte> bytes) {
    const std::optional<AgentRecord> agent = read_agent_slot(bytes);
    if (!agent) return;
    check(*agent, agent->place);
    if (agent->exit) check(*agent, agent->exit->stack);
    for (const AgentExceptionRecord& thrown : agent->exceptions) check(*agent, thrown.frames);
    for (const AgentSiteRecord& site : agent->memory.sites) {
        check(*agent, site.stack);
        if (site.live_at_window.size() != agent->memory.windows.size()) std::abort();
    }
}

// Takes the input as patches (a place and eight bytes) to a slot in use: mutations of 150 KiB would
// hardly ever hit a field that matters.
void read_patched(std::span<const std::byte> patches) {
    const auto slot = std::make_unique<format::AgentSlot>();
    slot->pid = 100;
    slot->taken = 1;
    slot->frame_count = 8;
    slot->text_size = 64;
    slot->memory.window_count = 8;
    slot->memory.site_count = 8;
    slot->steps.count = 70;
    auto* at = reinterpret_cast<std::byte*>(slot.get());
    while (patches.size() >= 12) {
        std::uint32_t place = 0;
        std::memcpy(&place, patches.data(), sizeof place);
        place %= sizeof(format::AgentSlot) - 8;
        std::memcpy(at + place, patches.data() + 4, 8);
        patches = patches.subspan(12);
    }
    read_whole(std::as_bytes(std::span(slot.get(), 1)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = std::as_bytes(std::span(data, size));
    read_whole(bytes);
    read_patched(bytes);
    return 0;
}
