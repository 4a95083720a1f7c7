#include "fit/capture/host_memory.h"

#include <algorithm>
#include <bit>

namespace holdfast::fit {
namespace {

// A batch that is being made exists as samples and as their stack, and malloc keeps about one more
// of what was freed (docs/fit.md has the measurement).
constexpr std::uint64_t batches_in_the_making = 3;
// How much of its parent's memory a forked worker copies by writing, once it has imported torch.
constexpr Bytes worker_own{std::uint64_t{15} << 20U};
constexpr std::uint64_t most_host_bytes = std::uint64_t{1}
                                          << 50U;  // figures from a file stay within reason

Bytes times(Bytes bytes, std::uint64_t count) {
    return bytes.count != 0 && count > most_host_bytes / bytes.count ? Bytes{most_host_bytes}
                                                                     : Bytes{bytes.count * count};
}

// torch's allocator of pinned memory hands out powers of two.
Bytes pinned(Bytes bytes) { return {std::bit_ceil(std::min(bytes.count, most_host_bytes))}; }

}  // namespace

HostMemory host_memory(const HostFacts& facts) {
    HostMemory host;
    host.facts = facts;
    Bytes waiting_batch;
    for (const Bytes tensor : facts.batch_tensors) {
        host.batch += tensor;
        waiting_batch += facts.pinned ? pinned(tensor) : tensor;
    }
    const std::uint64_t ahead =
        std::min(facts.workers, most_host_bytes) * std::min(facts.prefetch, most_host_bytes);
    host.dataset = facts.arrays + facts.objects;
    host.waiting = times(waiting_batch, ahead + 1);
    // On its way from a worker to pinned memory a batch is in both.
    if (facts.pinned) host.waiting += host.batch;
    host.making =
        times(host.batch, batches_in_the_making * std::max<std::uint64_t>(1, facts.workers));
    host.workers = times(worker_own + facts.objects, facts.workers);
    return host;
}

}  // namespace holdfast::fit
