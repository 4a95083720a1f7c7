#include "agent/heap/unseen.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "agent/base/raw_calls.h"
#include "agent/heap/sampling.h"

namespace holdfast::agent {
namespace {

using format::AgentMemory;
using format::AgentSite;

constexpr std::int64_t worth_it = 2LL << 20U;

// "size resident shared ...", in pages: anonymous memory is what is resident and not shared.
std::int64_t anonymous_bytes() {
    char text[128];
    const int fd = raw_open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    const ssize_t size = raw_read(fd, text, sizeof text - 1);
    raw_close(fd);
    if (size <= 0) return -1;
    text[size] = 0;
    std::int64_t figures[3] = {};
    const char* at = text;
    for (std::int64_t& figure : figures) {
        for (; *at >= '0' && *at <= '9'; ++at) figure = figure * 10 + (*at - '0');
        if (*at == ' ') ++at;
    }
    return std::max<std::int64_t>(0, figures[1] - figures[2]) * ::getpagesize();
}

void charge(HeapState& state, AgentMemory& memory, std::uint64_t bytes, std::int64_t now) {
    Asker asker;
    asker.flags = format::site_unseen;
    asker.count = thread_budget.main_thread ? own_frames(asker.frames, Asker::most)
                                            : main_frames(asker.frames, Asker::most);
    if (asker.count == 0) return;
    const std::uint16_t site = state.index.find(memory, asker, bytes, state.held, now);
    if (site == other_site) return;
    add_to_site(memory, site, bytes, bytes);
    state.unseen.bytes += bytes;
}

// What is left is less than was put down: every line has its part of that.
void shrink_to(HeapState& state, AgentMemory& memory, std::uint64_t most) {
    const double part = static_cast<double>(most) / static_cast<double>(state.unseen.bytes);
    const std::uint32_t count = sites_in(memory);
    std::uint64_t sum = 0;
    for (std::uint32_t i = 1; i < count; ++i) {
        AgentSite& site = memory.sites[i];
        if ((site.flags & format::site_unseen) == 0) continue;
        const auto left = static_cast<std::uint64_t>(static_cast<double>(site.live_bytes) * part);
        change_site(memory, static_cast<std::uint16_t>(i), site.live_bytes, left);
        sum += left;
    }
    state.unseen.bytes = sum;
}

}  // namespace

void look_for_unseen(HeapState& state, AgentMemory& memory, std::int64_t now) {
    Unseen& unseen = state.unseen;
    const std::int64_t anonymous = anonymous_bytes();
    if (anonymous < 0) return;
    const auto seen = static_cast<std::int64_t>(memory.live_bytes - unseen.bytes);
    const std::int64_t rest = std::max<std::int64_t>(0, anonymous - seen);
    // Only what became resident just now: memory that was freed and is kept by malloc is not seen
    // either, but came with another line.
    const std::int64_t came = anonymous - unseen.anonymous;
    const std::int64_t more = (anonymous - seen) - (unseen.anonymous - unseen.seen);
    const bool first = unseen.anonymous == 0;
    unseen.anonymous = anonymous;
    unseen.seen = seen;
    const auto known = static_cast<std::int64_t>(unseen.bytes);
    if (known > rest) {
        shrink_to(state, memory, static_cast<std::uint64_t>(rest));
        return;
    }
    const std::int64_t fresh = std::min({came, more, rest - known});
    if (!first && fresh >= worth_it) charge(state, memory, static_cast<std::uint64_t>(fresh), now);
}

}  // namespace holdfast::agent
