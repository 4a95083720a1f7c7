#include "loader/interface/interface.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "loader/core.h"
#include "loader/gather.h"

using holdfast::Json;
using holdfast::loader::Core;
using holdfast::loader::Delivery;
using holdfast::loader::Engine;
using holdfast::loader::Next;
using holdfast::loader::Order;
using holdfast::loader::Pass;

struct HoldfastLoader {
    std::unique_ptr<Core> core;
    // Set by close(); the release of the last slot then frees everything.
    std::mutex lock;
    bool closed = false;
    std::uint64_t out = 0;             // slots with the program, and loaders inside this one
    HoldfastLoader* inside = nullptr;  // whose arena this one lives in
};

namespace {

std::size_t tell(std::string_view text, char* out, std::size_t size) {
    if (out != nullptr && size > 0) {
        const std::size_t fits = std::min(text.size(), size - 1);
        std::memcpy(out, text.data(), fits);
        out[fits] = '\0';
    }
    return text.size();
}

Pass pass_of(const HoldfastPass& in, std::uint64_t batch) {
    Pass pass;
    pass.seed = in.seed;
    pass.epoch = in.epoch;
    pass.position = in.position;
    pass.ranks = std::max<std::uint64_t>(1, in.ranks);
    pass.rank = std::min(in.rank, pass.ranks - 1);
    pass.batch = in.batch != 0 ? in.batch : batch;
    pass.shuffled = in.shuffled != 0;
    pass.whole_batches = in.whole_batches != 0;
    return pass;
}

int answer(HoldfastLoader* loader, Next what, const Delivery& delivery, HoldfastBatch* batch) {
    batch->position = delivery.position;
    if (what == Next::ready) {
        const std::lock_guard guard(loader->lock);
        ++loader->out;
        batch->slot = delivery.slot;
        batch->rows = delivery.rows;
        batch->data = delivery.data;
        batch->samples = delivery.samples;
    }
    return static_cast<int>(what);
}

static_assert(static_cast<int>(Next::ready) == HOLDFAST_READY &&
              static_cast<int>(Next::end) == HOLDFAST_END &&
              static_cast<int>(Next::held) == HOLDFAST_HELD &&
              static_cast<int>(Next::failed) == HOLDFAST_FAILED &&
              static_cast<int>(Next::waiting) == HOLDFAST_WAITING &&
              static_cast<int>(Next::closed) == HOLDFAST_CLOSED);

// A slot or an inner loader has come back, or the loader was closed.
void settle(HoldfastLoader* loader, bool came_back) {
    while (loader != nullptr) {
        {
            const std::lock_guard guard(loader->lock);
            if (came_back)
                --loader->out;
            else
                loader->closed = true;
            if (!loader->closed || loader->out != 0) return;
        }
        HoldfastLoader* const around = loader->inside;
        delete loader;
        loader = around;
        came_back = true;
    }
}

// Nothing may be thrown through Python's frames: a lack of memory becomes an error like others.
template <class Call>
int guarded(char* error, std::size_t size, const Call& call) {
    try {
        const holdfast::Status done = call();
        if (done) return 0;
        tell(done.error().text, error, size);
    } catch (const std::exception& problem) {
        tell(problem.what(), error, size);
    }
    return 1;
}

}  // namespace

int holdfast_loader_version(void) { return HOLDFAST_LOADER_VERSION; }
int holdfast_loader_has_codecs(void) { return holdfast::loader::has_codecs() ? 1 : 0; }

HoldfastLoader* holdfast_loader_open(const char* options, HoldfastLoader* inside, char* error,
                                     size_t error_size) {
    auto loader = std::make_unique<HoldfastLoader>();
    const int wrong = guarded(error, error_size, [&]() -> holdfast::Status {
        const auto json = Json::parse(options);
        if (!json) return json.error();
        auto core = Core::open(*json, inside == nullptr ? nullptr : inside->core.get());
        if (!core) return core.error();
        loader->core = std::move(*core);
        loader->inside = inside;
        if (inside != nullptr) {
            const std::lock_guard guard(inside->lock);
            ++inside->out;
        }
        return holdfast::Done{};
    });
    return wrong != 0 ? nullptr : loader.release();
}

int holdfast_loader_labels(HoldfastLoader* loader, const char* dtype, uint64_t bytes,
                           const void* rows, char* error, size_t error_size) {
    return guarded(error, error_size, [&] {
        return loader->core->add_labels({"label", dtype, {}, bytes}, rows);
    });
}

int holdfast_loader_reserve(HoldfastLoader* loader, uint64_t bytes) {
    return loader->core->reserve(bytes) ? 0 : 1;
}

int holdfast_loader_prepare(HoldfastLoader* loader, const char* options, char* error,
                            size_t error_size) {
    return guarded(error, error_size, [&]() -> holdfast::Status {
        const auto json = Json::parse(options);
        if (!json) return json.error();
        return loader->core->prepare(*json);
    });
}

size_t holdfast_loader_describe(HoldfastLoader* loader, char* out, size_t size) {
    return tell(loader->core->describe().dump(), out, size);
}

size_t holdfast_loader_stats(HoldfastLoader* loader, char* out, size_t size) {
    return tell(loader->core->stats().dump(), out, size);
}

size_t holdfast_loader_name(HoldfastLoader* loader, uint64_t sample, char* out, size_t size) {
    return tell(sample < loader->core->count() ? loader->core->name(sample) : std::string(), out,
                size);
}

void holdfast_loader_start(HoldfastLoader* loader, const HoldfastPass* pass) {
    loader->core->engine()->start(pass_of(*pass, loader->core->batch()));
}

int holdfast_loader_next(HoldfastLoader* loader, uint32_t patience_ms, HoldfastBatch* batch,
                         char* error, size_t error_size) {
    Delivery delivery;
    const Next what =
        loader->core->engine()->next(std::chrono::milliseconds(patience_ms), delivery);
    if (what == Next::failed) tell(delivery.error, error, error_size);
    return answer(loader, what, delivery, batch);
}

int holdfast_loader_take(HoldfastLoader* loader, HoldfastBatch* batch) {
    Delivery delivery;
    const Next what = loader->core->engine()->take(delivery);
    return answer(loader, what, delivery, batch);
}

void holdfast_loader_give_back(HoldfastLoader* loader, uint64_t slot) {
    loader->core->engine()->give_back(static_cast<std::uint32_t>(slot));
    settle(loader, true);
}

uint64_t holdfast_loader_share(HoldfastLoader* loader, const HoldfastPass* in, uint64_t position,
                               uint64_t* samples, uint64_t* next) {
    const Pass pass = pass_of(*in, loader->core->batch());
    const std::uint64_t count = loader->core->count();
    const auto share = holdfast::loader::share_of(pass, count, position);
    const Order order(count, pass.seed, pass.epoch, pass.shuffled);
    for (std::uint64_t i = 0; i < share.rows; ++i) samples[i] = order.at(share.first + i);
    *next = share.next;
    return share.rows;
}

uint64_t holdfast_loader_span(HoldfastLoader* loader, const HoldfastPass* in, uint64_t position,
                              uint64_t* first, uint64_t* next) {
    const auto share = holdfast::loader::share_of(pass_of(*in, loader->core->batch()),
                                                  loader->core->count(), position);
    *first = share.first;
    *next = share.next;
    return share.rows;
}

void holdfast_loader_gather(const HoldfastColumn* columns, uint64_t count,
                            const HoldfastBlock* block, uint64_t first, uint64_t rows, void* slot,
                            uint64_t row) {
    using holdfast::loader::GatheredColumn;
    static_assert(sizeof(GatheredColumn) == sizeof(HoldfastColumn));
    const Order order(block->count, holdfast::loader::mixed(block->seed, block->number),
                      block->epoch, block->shuffled != 0);
    holdfast::loader::gather({reinterpret_cast<const GatheredColumn*>(columns), count}, order,
                             first, rows, static_cast<std::byte*>(slot), row);
}

uint64_t holdfast_loader_steps(HoldfastLoader* loader, const HoldfastPass* in) {
    return holdfast::loader::steps_of(pass_of(*in, loader->core->batch()), loader->core->count());
}

void holdfast_loader_close(HoldfastLoader* loader) {
    if (Engine* engine = loader->core->engine()) engine->close();
    settle(loader, false);
}
