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

// Less is resident than was charged to lines: reduces every line by its share.
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

std::uint64_t variance_of(AgentMemory& memory) {
    std::uint64_t sum = 0;
    const std::uint32_t count = sites_in(memory);
    for (std::uint32_t i = 0; i < count; ++i) sum += memory.sites[i].variance_kib2;
    return sum;
}

// By Newton's method: the agent does without libm.
std::int64_t two_errors(std::uint64_t variance_kib2) {
    std::uint64_t root = variance_kib2 < 2 ? variance_kib2 : variance_kib2 / 2;
    for (std::uint64_t next = root; root > 1; root = next) {
        next = (root + variance_kib2 / root) / 2;
        if (next >= root) break;
    }
    return static_cast<std::int64_t>(2 * kib * root);
}

}  // namespace

void look_for_unseen(HeapState& state, AgentMemory& memory, std::int64_t now) {
    Unseen& unseen = state.unseen;
    const std::int64_t anonymous = anonymous_bytes();
    if (anonymous < 0) return;
    if (unseen.anonymous == 0)
        unseen.base = std::max<std::int64_t>(0, anonymous - seen_by_hooks(unseen, memory));
    const Unseen before = unseen;
    const std::int64_t seen = seen_by_hooks(unseen, memory);
    // malloc keeps most freed memory: it stays resident, but its line is gone. So a loss is taken
    // from that freed memory first.
    const std::int64_t most = std::max({before.explained, before.highest, seen});
    const std::int64_t given_back = std::max<std::int64_t>(0, before.anonymous - anonymous);
    unseen.explained = std::min(most - std::min(given_back, most - seen), anonymous);
    unseen.anonymous = anonymous;
    unseen.highest = seen;
    unseen.variance_kib2 = variance_of(memory);
    if (given_back == 0)
        unseen.variance_kib2 = std::max(unseen.variance_kib2, before.variance_kib2);
    const std::int64_t rest = anonymous - unseen.explained;
    const auto known = static_cast<std::int64_t>(before.bytes);
    if (known > rest) {
        shrink_to(state, memory, static_cast<std::uint64_t>(rest));
        return;
    }
    // What the hooks saw is an estimate: a difference within its error means nothing.
    const std::int64_t came = anonymous - before.anonymous;
    const std::int64_t fresh = std::min(came, rest - known - two_errors(unseen.variance_kib2));
    if (fresh >= worth_it) charge(state, memory, static_cast<std::uint64_t>(fresh), now);
}

}  // namespace holdfast::agent
