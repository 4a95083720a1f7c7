#include "loader/core.h"

#include <algorithm>
#include <cstring>

#include "base/format.h"
#include "loader/data_file.h"
#include "loader/file_index.h"
#include "loader/lines.h"
#include "loader/records.h"

namespace holdfast::loader {
namespace {

constexpr std::uint64_t most_slots = 4096;
// How much may wait for the program if batches are small, so that threads seldom wait for each
// other.
constexpr std::uint64_t ahead_bytes = 2U << 20U;
constexpr std::uint64_t most_ahead = 32;
constexpr std::uint64_t least_slots = 2;  // one that the program uses, one that is filled meanwhile

std::vector<std::string> texts(const Json& list) {
    std::vector<std::string> out;
    for (const Json& item : list.items())
        if (item.text() != nullptr) out.push_back(*item.text());
    return out;
}

std::string text_or(const Json& json, const char* otherwise) {
    return json.text() != nullptr ? *json.text() : otherwise;
}

// Samples that the program makes itself, in our slots.
class OwnSamples : public Source {
public:
    OwnSamples(std::uint64_t count, std::uint64_t bytes) : count_(count), bytes_(bytes) {}
    std::uint64_t count() const override { return count_; }
    RowLayout layout(std::uint64_t) const override {
        RowLayout layout;
        layout.ragged_bytes = bytes_;
        return layout;
    }
    std::string name(std::uint64_t sample) const override { return formatted("sample {}", sample); }
    std::uint64_t fingerprint() const override { return count_; }
    void fill(const Part&, Scratch&, std::vector<Failure>&) override {}

private:
    std::uint64_t count_;
    std::uint64_t bytes_;
};

Bytes whole_mebibytes(std::uint64_t bytes) { return Bytes::mib((bytes >> 20U) + 1); }

}  // namespace

Result<std::unique_ptr<Core>> Core::open(const Json& options, Core* inside) {
    auto core = std::make_unique<Core>();
    core->options_ = options;
    core->batch_ = options["batch"].natural().value_or(0);
    if (core->batch_ == 0) return Error{"batch must be 1 or more"};
    if (core->batch_ > 1U << 24U) return Error{"batch is larger than 16 million"};
    const std::uint64_t budget = options["budget"].natural().value_or(0);
    if (budget < 64U << 10U) return Error{"budget is less than 64 KiB"};
    if (inside != nullptr) {
        const auto part = inside->arena_.reserve(budget, 4096);
        if (part.empty())
            return Error{formatted("the budget has no {} left", human(Bytes{budget}))};
        core->arena_ = Arena::inside(part);
    } else {
        auto arena = Arena::make({budget}, options["shared"].truth().value_or(false));
        if (!arena) return arena.error();
        core->arena_ = std::move(*arena);
    }
    core->cache_ = text_or(options["cache"], "keep") == "drop" ? PageCache::drop : PageCache::keep;
    if (auto done = core->open_source(options); !done) return done.error();
    return core;
}

Result<std::unique_ptr<ImagePlaces>> Core::open_places(const Json& options) {
    if (options["kind"] == Json("shards")) {
        auto shards = TarShards::open(arena_, texts(options["paths"]), true, batch_);
        if (!shards) return shards.error();
        return places_in(std::move(*shards));
    }
    FileList files(arena_);
    const std::string index = text_or(options["index"], "");
    const std::uint64_t key = text_hash(options["patterns"].dump());
    if (!index.empty()) {
        const auto found = load_index(index, key, files);
        if (!found) return found.error();
        index_ = *found == IndexState::used ? "used" : "";
        if (!index_.empty())
            return places_in(std::move(files), options["labelled"].truth().value_or(false));
    }
    for (const std::string& path : texts(options["paths"]))
        if (auto done = files.add_path(path); !done) return done.error();
    for (const Json& pattern : options["patterns"].items()) {
        const std::string root = text_or(pattern["root"], "");
        if (auto done = files.add_matching(root, texts(pattern["parts"]), texts(pattern["endings"]),
                                           pattern["by_top"].truth().value_or(false));
            !done)
            return done.error();
    }
    files.finish();
    if (files.count() == 0) {
        const std::vector<Json>& patterns = options["patterns"].items();
        const std::string where = patterns.empty() ? "" : text_or(patterns.front()["root"], "");
        return Error{(where.empty() ? "" : where + ": ") + "no JPEG or PNG images were found"};
    }
    if (!index.empty()) {
        const Status saved = save_index(index, key, files);
        index_ = saved ? "written" : "not written: " + saved.error().text;
    }
    return places_in(std::move(files), options["labelled"].truth().value_or(false));
}

Status Core::open_source(const Json& options) {
    const std::string kind = text_or(options["kind"], "");
    Result<std::unique_ptr<Source>> made = Error{"no such kind of data: " + kind};
    if (kind == "own") {
        count_ = options["count"].natural().value_or(0);
        return Done{};
    }
    if (kind == "images" || kind == "shards") {
        if (!has_codecs())
            return Error{
                "this Holdfast was built without libjpeg-turbo and zlib, so it decodes no images"};
        auto places = open_places(options);
        if (!places) return places.error();
        places_ = std::move(*places);
        return Done{};
    }
    if (kind == "records") {
        std::vector<RecordArray> arrays;
        for (const Json& array : options["arrays"].items()) {
            RawShape raw;
            const bool is_raw = array["raw"].is_object();
            if (is_raw) {
                raw.dtype = text_or(array["raw"]["dtype"], "");
                for (const Json& n : array["raw"]["shape"].items())
                    raw.shape.push_back(n.natural().value_or(0));
                raw.offset = array["raw"]["offset"].natural().value_or(0);
            }
            auto opened = open_records(texts(array["paths"]), is_raw ? &raw : nullptr);
            if (!opened) return opened.error();
            arrays.push_back(std::move(*opened));
        }
        made = make_records(std::move(arrays), cache_);
    } else if (kind == "members") {
        auto shards = TarShards::open(arena_, texts(options["paths"]), false, batch_);
        if (!shards) return shards.error();
        made = make_tar_members(std::move(*shards), cache_);
    } else if (kind == "csv" || kind == "json" || kind == "text") {
        LineRules rules;
        rules.quotes = kind == "csv";
        rules.header = kind == "csv" && options["header"].truth().value_or(true);
        auto lines = LineIndex::build(arena_, texts(options["paths"]), rules,
                                      arena_.budget().count / 8, batch_);
        if (!lines) return lines.error();
        made = kind == "csv"    ? make_csv(std::move(*lines), options, cache_)
               : kind == "json" ? make_json_lines(std::move(*lines), options, cache_)
                                : make_text_lines(std::move(*lines), cache_);
    }
    if (!made) return made.error();
    source_ = std::move(*made);
    return Done{};
}

std::uint64_t Core::count() const {
    return source_ ? source_->count() : places_ ? places_->count() : count_;
}

Status Core::add_labels(Field field, const void* rows) {
    if (field.sample_bytes > 8) return Error{"a label has 8 bytes at most"};
    const std::span<std::byte> room = arena_.reserve(field.sample_bytes * count());
    if (room.size() != field.sample_bytes * count())
        return Error{"the labels alone take more than the budget"};
    std::memcpy(room.data(), rows, room.size());
    labels_ = {std::move(field), room};
    return Done{};
}

Status Core::prepare(const Json& options) {
    if (engine_) return Error{"prepared already"};
    if (places_) {
        auto picture = PictureOptions::from_json(options_["picture"]);
        if (!picture) return picture.error();
        auto made = make_images(std::move(places_), *picture, std::move(labels_),
                                options_["as_they_are"].truth().value_or(false),
                                options_["largest"].natural().value_or(0), cache_);
        if (!made) return made.error();
        source_ = std::move(*made);
    }
    const bool own = !source_;
    if (own) count_ = options["count"].natural().value_or(count_);
    if (own)
        source_ = std::make_unique<OwnSamples>(count_, options["slot_bytes"].natural().value_or(0));

    const RowLayout layout = source_->layout(batch_);
    // After the batch's data the engine keeps the numbers of its samples.
    const std::uint64_t numbers = own ? 0 : batch_ * sizeof(std::uint64_t);
    slot_bytes_ = rounded_up(batch_bytes(layout, batch_) + numbers, 4096);
    const std::uint64_t scratch = rounded_up(layout.scratch, 4096);
    const std::uint64_t before = rounded_up(arena_.used().count, 4096);
    smallest_ = before + least_slots * slot_bytes_ + scratch + 4096;
    if (smallest_ > arena_.budget().count)
        return Error{formatted("{} batches of {} samples ({} each) need a budget of {}; it is {}{}",
                               least_slots, batch_, human(Bytes{slot_bytes_}),
                               human(whole_mebibytes(smallest_)), human(arena_.budget()),
                               batch_ > 1 ? ". Take a larger budget or a smaller batch" : "")};
    const std::uint64_t spare = arena_.budget().count - smallest_;
    const std::uint64_t wanted =
        own ? 0 : std::max<std::uint64_t>(1, options_["workers"].natural().value_or(1));
    workers_ = own ? 0 : std::min(wanted, 1 + (scratch == 0 ? wanted : spare / 2 / scratch));
    // For a sample that needs more than a worker's own scratch; used by one sample at a time.
    const std::uint64_t after_workers = spare - (workers_ > 1 ? (workers_ - 1) * scratch : 0);
    const std::uint64_t large =
        layout.large == 0
            ? 0
            : std::min(rounded_up(layout.large, 4096), after_workers / 2) / 4096 * 4096;
    slots_ = std::min(most_slots, least_slots + (after_workers - large) / slot_bytes_);

    std::vector<std::span<std::byte>> scratches;
    for (std::uint64_t i = 0; i < workers_; ++i)
        scratches.push_back(scratch == 0 ? std::span<std::byte>() : arena_.reserve(scratch, 4096));
    const std::span<std::byte> large_room =
        large == 0 ? std::span<std::byte>() : arena_.reserve(large, 4096);
    std::vector<std::span<std::byte>> slots;
    for (std::uint64_t i = 0; i < slots_; ++i) slots.push_back(arena_.reserve(slot_bytes_, 4096));
    for (const auto& slot : slots)
        if (slot.empty()) return Error{"the budget was divided wrongly"};
    EngineOptions engine;
    engine.batch = batch_;
    engine.workers = static_cast<unsigned>(workers_);
    const std::uint64_t small = std::min({most_ahead, ahead_bytes / slot_bytes_, slots_ / 2});
    engine.ahead = std::max<std::uint64_t>(
        1, options_["ahead"].natural().value_or(std::max(workers_ + 2, small)));
    engine.skip_bad = text_or(options_["bad"], "raise") == "skip";
    engine_ = std::make_unique<Engine>(*source_, engine, std::move(slots), scratches, large_room);
    return Done{};
}

Json Core::describe() const {
    Json out = Json::object();
    out["count"] = count();
    out["batch"] = batch_;
    out["slots"] = slots_;
    out["slot_bytes"] = slot_bytes_;
    out["workers"] = workers_;
    out["smallest_budget"] = whole_mebibytes(smallest_).count;
    out["fd"] = arena_.fd();
    out["base"] = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(arena_.base()));
    out["left"] = arena_.left().count;
    out["index"] = index_;
    if (!source_) return out;
    out["fingerprint"] = formatted("{:016x}", source_->fingerprint());
    out["classes"] = Json(source_->classes());
    const RowLayout layout = source_->layout(batch_);
    out["label"] = source_->label_in_head();
    out["ragged"] = layout.ragged_bytes > 0;
    Json fields = Json::list();
    const std::vector<std::uint64_t> offsets = field_offsets(layout, batch_);
    for (std::size_t i = 0; i < layout.fields.size(); ++i) {
        const Field& field = layout.fields[i];
        Json shape = Json::list();
        for (const std::uint64_t n : field.shape) shape.push_back(n);
        fields.push_back(Json::object({{"name", field.name},
                                       {"dtype", field.dtype},
                                       {"shape", shape},
                                       {"bytes", field.sample_bytes},
                                       {"offset", offsets[i]}}));
    }
    out["fields"] = fields;
    return out;
}

Json Core::stats() const {
    Json out = Json::object();
    const EngineStats engine = engine_ ? engine_->stats() : EngineStats{};
    out["budget"] = arena_.budget().count;
    out["fixed"] = arena_.used().count - slots_ * slot_bytes_;
    out["slot_bytes"] = slot_bytes_;
    out["slots"] = slots_;
    out["held"] = engine.held;
    out["filled"] = engine.filled;
    out["samples"] = engine.samples;
    out["batches"] = engine.batches;
    out["skipped"] = engine.skipped;
    out["skipped_names"] = Json(engine.skipped_names);
    out["waited_for_data"] = engine.waited_for_data;
    out["waited_for_program"] = engine.waited_for_program;
    return out;
}

}  // namespace holdfast::loader
