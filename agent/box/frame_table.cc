#include "agent/box/frame_table.h"

#include <atomic>

#include "agent/base/private_memory.h"
#include "agent/base/spin_lock.h"
#include "agent/box/slot.h"

namespace holdfast::agent {
namespace {

using format::AgentFrame;
using format::AgentSlot;
using format::TextRef;

// Finds what is already in the slot. Wiped on fork, like the child's claim to the slot.
constexpr std::uint32_t frame_places = 2048;  // twice what the slot holds
constexpr std::uint32_t text_places = 2048;
struct Lookup {
    SpinLock lock;
    std::uint16_t frames[frame_places];  // number + 1
    std::uint32_t texts[text_places];    // offset + 1
    std::uint32_t text_sizes[text_places];
};

Lookup* lookup() {
    static std::atomic<Lookup*> made{nullptr};
    Lookup* have = made.load(std::memory_order_acquire);
    if (have == nullptr) {
        have = static_cast<Lookup*>(wiped_on_fork(sizeof(Lookup)));
        Lookup* none = nullptr;
        // Two threads at once: one mapping is wasted, none is shared by mistake.
        if (have != nullptr && !made.compare_exchange_strong(none, have)) have = none;
    }
    return have;
}

std::uint32_t hash(const char* data, std::size_t size, std::uint32_t seed) {
    std::uint32_t value = seed ^ 2166136261U;
    for (std::size_t i = 0; i < size; ++i)
        value = (value ^ static_cast<unsigned char>(data[i])) * 16777619U;
    return value ^ value >> 15U;
}

bool intern_text(AgentSlot& slot, Lookup& known, Text text, TextRef& out) {
    if (text.size > 400) {  // the end of a path tells more than its beginning
        text.data += text.size - 400;
        text.size = 400;
    }
    std::uint32_t place = hash(text.data, text.size, 0) % text_places;
    for (std::uint32_t tries = 0; tries < text_places; ++tries, place = (place + 1) % text_places) {
        if (known.texts[place] == 0) break;
        const TextRef have{known.texts[place] - 1, known.text_sizes[place]};
        if (Text(slot.text + have.offset, have.size) == text) {
            out = have;
            return true;
        }
    }
    // The slot is shared memory: read once, and used only within its bounds.
    const std::uint32_t at = std::atomic_ref(slot.text_size).load(std::memory_order_relaxed);
    if (known.texts[place] != 0 || at > format::agent_text_capacity ||
        text.size > format::agent_text_capacity - at)
        return false;
    std::memcpy(slot.text + at, text.data, text.size);
    std::atomic_ref(slot.text_size)
        .store(at + static_cast<std::uint32_t>(text.size), std::memory_order_release);
    known.texts[place] = at + 1;
    known.text_sizes[place] = static_cast<std::uint32_t>(text.size);
    out = {at, static_cast<std::uint32_t>(text.size)};
    return true;
}

bool same(TextRef a, TextRef b) { return a.offset == b.offset && a.size == b.size; }

std::uint16_t intern(AgentSlot& slot, Lookup& known, Text file, Text function, std::uint32_t line) {
    AgentFrame frame{};
    if (!intern_text(slot, known, file, frame.file) ||
        !intern_text(slot, known, function, frame.function))
        return format::no_frame;
    frame.line = line;
    const std::uint32_t key[] = {frame.file.offset, frame.function.offset, line};
    std::uint32_t place = hash(reinterpret_cast<const char*>(key), sizeof key, 1) % frame_places;
    while (known.frames[place] != 0) {
        const AgentFrame& have = slot.frames[known.frames[place] - 1];
        if (have.line == line && same(have.file, frame.file) && same(have.function, frame.function))
            return static_cast<std::uint16_t>(known.frames[place] - 1);
        place = (place + 1) % frame_places;
    }
    const std::uint32_t number = std::atomic_ref(slot.frame_count).load(std::memory_order_relaxed);
    if (number >= format::agent_frame_capacity) return format::no_frame;
    slot.frames[number] = frame;
    std::atomic_ref(slot.frame_count).store(number + 1, std::memory_order_release);
    known.frames[place] = static_cast<std::uint16_t>(number + 1);
    return static_cast<std::uint16_t>(number);
}

}  // namespace

std::uint16_t intern_frame(Text file, Text function, std::uint32_t line) {
    AgentSlot* own = slot();
    Lookup* known = lookup();
    if (own == nullptr || known == nullptr) return format::no_frame;
    known->lock.lock();
    const std::uint16_t number = intern(*own, *known, file, function, line);
    known->lock.unlock();
    return number;
}

}  // namespace holdfast::agent
