#include "loader/engine.h"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace holdfast::loader {
namespace {

constexpr std::size_t names_kept = 16;

double seconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

Share share_of(const Pass& pass, std::uint64_t count, std::uint64_t position) {
    const std::uint64_t step = pass.batch * pass.ranks;
    if (position >= count) return {count, 0, count};
    const std::uint64_t left = count - position;
    if (left >= step) return {position + pass.rank * pass.batch, pass.batch, position + step};
    if (pass.whole_batches || left < pass.ranks) return {count, 0, count};
    const std::uint64_t each = left / pass.ranks;
    const std::uint64_t more = left % pass.ranks;  // this many ranks have one more
    const std::uint64_t before = pass.rank * each + std::min(pass.rank, more);
    return {position + before, each + (pass.rank < more ? 1 : 0), count};
}

std::uint64_t steps_of(const Pass& pass, std::uint64_t count) {
    const std::uint64_t step = pass.batch * pass.ranks;
    const std::uint64_t left = count > pass.position ? count - pass.position : 0;
    const bool short_one = !pass.whole_batches && left % step >= pass.ranks;
    return left / step + (short_one ? 1 : 0);
}

Engine::Engine(Source& source, EngineOptions options, std::vector<std::span<std::byte>> slots,
               const std::vector<std::span<std::byte>>& scratches, std::span<std::byte> large)
    : source_(source),
      options_(options),
      slots_(std::move(slots)),
      offsets_(field_offsets(source.layout(options.batch), options.batch)),
      layout_(source.layout(options.batch)),
      part_(layout_.ragged_bytes > 0 ? options.batch
                                     : source.part_size(options.batch, options.workers)),
      workers_(scratches.size()),
      large_(large) {
    with_program_.resize(slots_.size());
    // The slot given back last is used first: its pages exist and are in the cache.
    for (std::size_t i = slots_.size(); i-- > 0;) free_.push_back(static_cast<std::uint32_t>(i));
    stats_.slots = slots_.size();
    // Signals of the program belong to its own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (const std::span<std::byte> scratch : scratches)
        threads_.emplace_back([this, scratch] { work(scratch); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Engine::~Engine() { close(); }

// Called locked.
void Engine::end_wait_for_program() {
    stats_.waited_for_program += waiting_for_program();
    full_since_.reset();
}

// Seconds of a wait that is not over. Called locked.
double Engine::waiting_for_program() const {
    return full_since_ ? seconds(Clock::now() - *full_since_) : 0;
}

void Engine::start(const Pass& pass) {
    const std::lock_guard guard(lock_);
    end_wait_for_program();
    ++generation_;
    // Batches that no worker fills are free now, the others when their workers are done.
    for (const auto& batch : line_)
        if (batch->done == batch->given) free_.push_back(batch->slot);
    line_.clear();
    pass_ = pass;
    order_ = Order(source_.count(), pass.seed, pass.epoch, pass.shuffled);
    position_ = pass.position;
    share_ = {};
    share_given_ = 0;
    started_ = true;
    work_.notify_all();
}

// Whether a sample of this pass still has no slot. Called locked.
bool Engine::more() {
    if (share_given_ < share_.rows) return true;
    const Share next = share_of(pass_, source_.count(), position_);
    if (next.rows == 0) return false;
    share_ = next;
    share_given_ = 0;
    position_ = next.next;
    return true;
}

// Whether sleeping workers should be woken: with small batches they would wake up for each one.
// Called locked.
bool Engine::low() const { return idle_ > 0 && line_.size() <= options_.ahead / 2; }

// The first batch with rows that no worker has taken; a new one if a slot is free. Called locked.
std::shared_ptr<Engine::Batch> Engine::wanted() {
    if (!started_ || closed_) return nullptr;
    for (const auto& batch : line_)
        if (batch->given < batch->rows) return batch;
    if (free_.empty() || line_.size() >= options_.ahead) return nullptr;
    if (!more()) return nullptr;
    auto batch = std::make_shared<Batch>();
    batch->slot = free_.back();
    free_.pop_back();
    batch->generation = generation_;
    batch->seed = pass_.seed;
    batch->epoch = pass_.epoch;
    batch->rows = std::min(options_.batch, share_.rows - share_given_);
    batch->next_position = share_.next;
    batch->order = order_;
    batch->first = share_.first + share_given_;
    share_given_ += batch->rows;
    batch->samples.resize(batch->rows);
    line_.push_back(batch);
    return batch;
}

void Engine::work(std::span<std::byte> room) {
    Scratch scratch(room);
    std::unique_lock guard(lock_);
    while (!closed_) {
        std::shared_ptr<Batch> batch = wanted();
        if (!batch) {
            // No worker can go on although there is more to read: the slots are full or held.
            if (++idle_ == workers_ && !full_since_ && started_ && more())
                full_since_ = Clock::now();
            work_.wait(guard);
            --idle_;
            continue;
        }
        end_wait_for_program();
        const std::uint64_t first = batch->given;
        const std::uint64_t rows = std::min(part_, batch->rows - first);
        batch->given += rows;
        guard.unlock();
        std::vector<Failure> failures;
        fill(*batch, first, rows, scratch, failures);
        guard.lock();
        batch->done += rows;
        for (Failure& failure : failures) batch->failures.push_back(std::move(failure));
        if (batch->generation != generation_) {
            if (batch->done == batch->given) {
                free_.push_back(batch->slot);
                work_.notify_one();
                ready_.notify_all();
            }
        } else if (batch->done == batch->rows) {
            settle(*batch);
            if (line_.front() == batch) ready_.notify_all();
        }
    }
}

void Engine::fill(Batch& batch, std::uint64_t first, std::uint64_t rows, Scratch& scratch,
                  std::vector<Failure>& failures) {
    const std::span<std::uint64_t> samples = std::span(batch.samples).subspan(first, rows);
    for (std::uint64_t i = 0; i < rows; ++i) samples[i] = batch.order.at(batch.first + first + i);
    Part part;
    part.samples = samples;
    part.first_row = first;
    part.batch = slot(batch.slot);
    part.offsets = offsets_;
    part.capacity = slots_[batch.slot].size() - options_.batch * sizeof(std::uint64_t);
    part.seed = batch.seed;
    part.epoch = batch.epoch;
    source_.fill(part, scratch, failures);
    // Samples that did not fit into a worker's own scratch, one at a time. No deadlock: a worker
    // keeps the batch's slot and takes only the large piece.
    for (std::size_t i = 0; i < failures.size();) {
        if (!failures[i].wants_room || large_.size() <= scratch.size()) {
            ++i;
            continue;
        }
        const std::uint64_t row = failures[i].row;
        Part again = part;
        again.samples = std::span(batch.samples).subspan(row, 1);
        again.first_row = row;
        std::vector<Failure> still;
        {
            const std::lock_guard alone(large_lock_);
            source_.fill(again, large_, still);
        }
        if (still.empty()) {
            failures.erase(failures.begin() + static_cast<std::ptrdiff_t>(i));
        } else {
            failures[i] = std::move(still.front());
            ++i;
        }
    }
}

// A batch is complete: bad rows are removed if the program asked for that. Called locked.
void Engine::settle(Batch& batch) {
    if (batch.failures.empty()) return;
    std::sort(batch.failures.begin(), batch.failures.end(),
              [](const Failure& a, const Failure& b) { return a.row < b.row; });
    if (options_.skip_bad) drop_rows(batch);
}

void Engine::drop_rows(Batch& batch) {
    std::byte* data = slot(batch.slot);
    std::vector<bool> bad(batch.rows);
    for (const Failure& failure : batch.failures) {
        bad[failure.row] = true;
        ++stats_.skipped;
        if (stats_.skipped_names.size() < names_kept) stats_.skipped_names.push_back(failure.text);
    }
    std::uint64_t to = 0;
    for (std::uint64_t from = 0; from < batch.rows; ++from) {
        if (bad[from]) continue;
        if (to != from) {
            for (std::size_t f = 0; f < layout_.fields.size(); ++f) {
                const std::uint64_t size = layout_.fields[f].sample_bytes;
                std::memcpy(data + offsets_[f] + to * size, data + offsets_[f] + from * size, size);
            }
            if (layout_.ragged_bytes > 0)
                std::memcpy(data + to * sizeof(Extent), data + from * sizeof(Extent),
                            sizeof(Extent));
            batch.samples[to] = batch.samples[from];
        }
        ++to;
    }
    batch.rows = to;
    batch.given = batch.done = to;
    batch.failures.clear();
}

Next Engine::next(std::chrono::milliseconds patience, Delivery& out) {
    std::unique_lock guard(lock_);
    const auto begin = Clock::now();
    const auto until = begin + patience;
    const auto finish = [&](Next what) {
        stats_.waited_for_data += seconds(Clock::now() - begin);
        return what;
    };
    while (true) {
        if (closed_) return Next::closed;
        if (line_.empty()) {
            if (!started_ || !more()) return finish(Next::end);
            if (stats_.held == slots_.size()) return finish(Next::held);
        } else if (line_.front()->done == line_.front()->rows) {
            const std::shared_ptr<Batch> batch = line_.front();
            line_.pop_front();
            if (low()) work_.notify_all();
            out.position = batch->next_position;
            if (!batch->failures.empty()) {
                free_.push_back(batch->slot);
                const Failure& first = batch->failures.front();
                out.error = first.text;
                return finish(Next::failed);
            }
            if (batch->rows == 0) {  // every sample of it was skipped
                free_.push_back(batch->slot);
                continue;
            }
            out.slot = batch->slot;
            out.data = slot(batch->slot);
            out.rows = batch->rows;
            out.capacity_rows = options_.batch;
            with_program_[batch->slot] = true;
            out.samples = samples_of(batch->slot);
            std::copy(batch->samples.begin(),
                      batch->samples.begin() + static_cast<std::ptrdiff_t>(batch->rows),
                      samples_of(batch->slot));
            ++stats_.held;
            ++stats_.batches;
            stats_.samples += batch->rows;
            return finish(Next::ready);
        }
        if (ready_.wait_until(guard, until) == std::cv_status::timeout) {
            const bool done = !line_.empty() && line_.front()->done == line_.front()->rows;
            if (!done) return finish(Next::waiting);
        }
    }
}

Next Engine::take(Delivery& out) {
    const std::lock_guard guard(lock_);
    if (closed_) return Next::closed;
    if (free_.empty()) return Next::held;
    out.slot = free_.back();
    free_.pop_back();
    out.data = slot(out.slot);
    out.capacity_rows = options_.batch;
    with_program_[out.slot] = true;
    ++stats_.held;
    return Next::ready;
}

void Engine::give_back(std::uint32_t number) {
    const std::lock_guard guard(lock_);
    if (number >= slots_.size() || !with_program_[number]) return;
    with_program_[number] = false;
    --stats_.held;
    free_.push_back(number);
    if (low()) work_.notify_one();
}

void Engine::close() {
    {
        const std::lock_guard guard(lock_);
        end_wait_for_program();
        closed_ = true;
        work_.notify_all();
        ready_.notify_all();
    }
    for (std::thread& thread : threads_)
        if (thread.joinable()) thread.join();
}

bool Engine::held() const {
    const std::lock_guard guard(lock_);
    return stats_.held > 0;
}

EngineStats Engine::stats() const {
    const std::lock_guard guard(lock_);
    EngineStats all = stats_;
    all.filled = line_.size();
    all.waited_for_program += waiting_for_program();
    return all;
}

}  // namespace holdfast::loader
