// Host memory that training takes: the dataset, the loaders' batches, their workers.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace holdfast::fit {

// How the program's DataLoader was set up, and its first batch.
struct HostFacts {
    Bytes arrays;   // tensors and arrays of the datasets
    Bytes objects;  // their other Python objects
    std::vector<Bytes> batch_tensors;
    std::uint64_t workers = 0;
    std::uint64_t prefetch = 0;  // batches a worker makes ahead
    bool pinned = false;
};

struct HostMemory {
    HostFacts facts;
    Bytes batch;    // one batch
    Bytes dataset;  // arrays and objects, once
    Bytes waiting;  // batches made ahead and the one in use: shared memory, or pinned
    Bytes making;   // samples and copies in the processes that load
    Bytes workers;  // the workers' own, and their copies of Python objects

    Bytes total() const { return dataset + waiting + making + workers; }
};

HostMemory host_memory(const HostFacts& facts);

}  // namespace holdfast::fit
