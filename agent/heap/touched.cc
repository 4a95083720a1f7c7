#include "agent/heap/touched.h"

#include <sys/mman.h>
#include <unistd.h>

#include "agent/base/pages.h"

namespace holdfast::agent {
namespace {

constexpr std::uint64_t worth_asking = 4U << 20U;
constexpr std::uint64_t probes = 32;  // pages asked about, evenly spaced
constexpr int most_asked = 128;       // of one window: a system call for each probe

// Resident bytes of [begin, begin + size), by a sample; `size` if that cannot be read (another
// thread is just freeing it).
std::uint64_t resident(std::uint64_t begin, std::uint64_t size) {
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const Pages pages = pages_within(begin, size, page);
    if (pages.count() == 0) return size;
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < probes; ++i) {
        unsigned char there = 0;
        if (::mincore(reinterpret_cast<void*>(pages.probe(i, probes)), page, &there) != 0)
            return size;
        found += there & 1U;
    }
    return found == 0 ? 1 : size / probes * found;  // a weight of 0 would mean a freed block
}

// The new weight of a block or region that counted for `weight` so far.
std::uint64_t weigh(format::AgentMemory& memory, std::uint16_t site, std::uint64_t begin,
                    std::uint64_t size, std::uint64_t weight) {
    const std::uint64_t there = resident(begin, size);
    change_site(memory, site, weight, there);
    return there;
}

}  // namespace

void weigh_by_touch(HeapState& state, format::AgentMemory& memory) {
    int asked = 0;
    state.held.regions.each([&](Region& region) {
        if (region.touched || region.size() < worth_asking || ++asked > most_asked) return;
        region.weight = weigh(memory, region.site, region.begin, region.size(), region.weight);
        region.touched = region.weight >= region.size() / probes * probes;
    });
    state.held.blocks.each([&](SampledBlock& block) {
        if (block.touched() || block.arena() || block.size() < worth_asking || ++asked > most_asked)
            return;
        block.weight = weigh(memory, block.site(), block.address, block.size(), block.weight);
        if (block.weight >= block.size() / probes * probes) block.set_touched();
    });
}

}  // namespace holdfast::agent
