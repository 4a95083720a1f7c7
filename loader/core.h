// A whole loader: the arena, what is read, and who fills the batches. Made in two steps: in between
// the program may bring labels, or find out how large its own samples are.
#pragma once

#include <memory>
#include <string>

#include "base/json.h"
#include "loader/engine.h"
#include "loader/images.h"

namespace holdfast::loader {

class Core {
public:
    // `inside`: take the budget from another loader's arena.
    static Result<std::unique_ptr<Core>> open(const Json& options, Core* inside);

    Status add_labels(Field field, const void* rows);
    // Divides what is left of the budget into slots and scratch, and starts the workers.
    Status prepare(const Json& options);

    Json describe() const;
    Json stats() const;
    std::uint64_t count() const;
    std::string name(std::uint64_t sample) const {
        return source_ ? source_->name(sample) : places_ ? places_->name(sample) : "";
    }
    Engine* engine() { return engine_.get(); }
    std::uint64_t batch() const { return batch_; }
    // Takes a reservation for memory outside the arena: readers of other libraries.
    bool reserve(std::uint64_t bytes) { return arena_.reserve(bytes).size() == bytes; }

private:
    Status open_source(const Json& options);
    Result<std::unique_ptr<ImagePlaces>> open_places(const Json& options);

    Arena arena_;
    Json options_;
    std::uint64_t batch_ = 1;
    std::uint64_t count_ = 0;  // of samples that the program makes itself
    PageCache cache_ = PageCache::keep;
    std::string index_;  // the result of using the index file
    std::unique_ptr<ImagePlaces> places_;
    Labels labels_;
    std::unique_ptr<Source> source_;
    std::unique_ptr<Engine> engine_;
    std::uint64_t workers_ = 0;
    std::uint64_t slots_ = 0;
    std::uint64_t slot_bytes_ = 0;
    std::uint64_t smallest_ = 0;
};

}  // namespace holdfast::loader
