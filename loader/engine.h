// Batches in order, filled by threads, in slots made beforehand: who waits for whom, and who holds
// which slot.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "loader/order.h"
#include "loader/source.h"

namespace holdfast::loader {

// One pass over the data, or what is left of it.
struct Pass {
    std::uint64_t seed = 0;
    std::uint64_t epoch = 0;
    std::uint64_t position = 0;  // samples that all ranks together have got
    std::uint64_t rank = 0;
    std::uint64_t ranks = 1;
    std::uint64_t batch = 1;  // samples of a step; slots may hold fewer
    bool shuffled = false;
    bool whole_batches = false;
};

struct Share {
    std::uint64_t first = 0;  // position of this rank's first sample
    std::uint64_t rows = 0;
    std::uint64_t next = 0;  // where the step after this one begins, for every rank
};

// This rank's part of the step that begins at `position`; no rows: the epoch is over. The last step
// is divided evenly, so that all ranks have equally many steps. Fewer samples than ranks cannot be
// divided, and are left out.
Share share_of(const Pass& pass, std::uint64_t count, std::uint64_t position);
std::uint64_t steps_of(const Pass& pass, std::uint64_t count);

enum class Next { ready, end, held, failed, waiting, closed };

struct Delivery {
    std::uint32_t slot = 0;
    std::byte* data = nullptr;
    std::uint64_t rows = 0;
    std::uint64_t capacity_rows = 0;         // the fields' offsets are for this many rows
    std::uint64_t position = 0;              // after this batch
    const std::uint64_t* samples = nullptr;  // valid until the slot is given back
    std::string error;
};

struct EngineStats {
    std::uint64_t samples = 0;
    std::uint64_t batches = 0;
    std::uint64_t skipped = 0;
    std::uint64_t slots = 0;
    std::uint64_t held = 0;
    std::uint64_t filled = 0;
    double waited_for_data = 0;
    double waited_for_program = 0;
    std::vector<std::string> skipped_names;  // the first few
};

struct EngineOptions {
    std::uint64_t batch = 1;  // samples of a slot
    unsigned workers = 1;
    std::uint64_t ahead = 2;  // batches that may wait for the program
    bool skip_bad = false;
};

class Engine {
public:
    // `slots` and `scratches` are pieces of one arena; a slot has 8 bytes for each sample after the
    // batch's own bytes; `large` is the piece that one sample at a time may use if its worker's own
    // scratch is too small.
    Engine(Source& source, EngineOptions options, std::vector<std::span<std::byte>> slots,
           const std::vector<std::span<std::byte>>& scratches, std::span<std::byte> large);
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    ~Engine();

    // Begins a pass; drops what was prepared for another one. Slots that the program holds stay as
    // they are.
    void start(const Pass& pass);
    // The next batch. `held`: the program itself has every slot, so waiting would never end.
    // `waiting`: none came within the time.
    Next next(std::chrono::milliseconds patience, Delivery& out);
    // A slot for the program to fill itself.
    Next take(Delivery& out);
    void give_back(std::uint32_t number);
    void close();
    bool held() const;
    EngineStats stats() const;

private:
    struct Batch {
        std::uint32_t slot = 0;
        std::uint64_t generation = 0;
        std::uint64_t seed = 0;
        std::uint64_t epoch = 0;
        std::uint64_t rows = 0;
        std::uint64_t given = 0;  // rows that workers have taken
        std::uint64_t done = 0;
        std::uint64_t next_position = 0;
        Order order;
        std::uint64_t first = 0;  // position of its first sample
        std::vector<std::uint64_t> samples;
        std::vector<Failure> failures;
    };
    using Clock = std::chrono::steady_clock;

    void work(std::span<std::byte> room);
    std::shared_ptr<Batch> wanted();
    bool more();
    bool low() const;
    void end_wait_for_program();
    double waiting_for_program() const;
    void fill(Batch& batch, std::uint64_t first, std::uint64_t rows, Scratch& scratch,
              std::vector<Failure>& failures);
    void settle(Batch& batch);
    void drop_rows(Batch& batch);
    std::byte* slot(std::uint32_t number) const { return slots_[number].data(); }
    // The numbers of a batch's samples: at the end of its slot.
    std::uint64_t* samples_of(std::uint32_t number) const {
        return reinterpret_cast<std::uint64_t*>(slots_[number].data() + slots_[number].size()) -
               options_.batch;
    }

    Source& source_;
    const EngineOptions options_;
    const std::vector<std::span<std::byte>> slots_;
    const std::vector<std::uint64_t> offsets_;
    const RowLayout layout_;
    const std::uint64_t part_;
    const std::size_t workers_;
    std::mutex large_lock_;
    Scratch large_;

    mutable std::mutex lock_;
    std::condition_variable work_;   // for the workers
    std::condition_variable ready_;  // for the program
    Pass pass_;
    Order order_;
    std::uint64_t generation_ = 0;
    std::uint64_t position_ = 0;  // of the step after `share_`
    Share share_;                 // the step whose slots are being given out
    std::uint64_t share_given_ = 0;
    bool started_ = false;
    bool closed_ = false;
    std::deque<std::shared_ptr<Batch>> line_;  // in the order of delivery
    std::vector<std::uint32_t> free_;
    std::vector<bool> with_program_;
    std::uint64_t idle_ = 0;
    std::optional<Clock::time_point> full_since_;  // when the present wait for the program began
    EngineStats stats_;
    std::vector<std::thread> threads_;
};

}  // namespace holdfast::loader
