#include "fit/workspace/workspace_table.h"

#include <algorithm>
#include <cmath>

#include "base/read_file.h"
#include "base/text.h"
#include "fit/workspace/shipped_tables.h"

namespace holdfast::fit {
namespace {

constexpr std::size_t conv_batch_index = 6;  // in a conv fact

std::optional<Fact> fact_named(std::string_view name) {
    if (name == "conv") return Fact::conv;
    if (name == "rnn_reserve") return Fact::rnn_reserve;
    if (name == "rnn_work") return Fact::rnn_work;
    if (name == "reduce") return Fact::reduce;
    if (name == "embedding_backward") return Fact::embedding_backward;
    if (name == "norm_backward") return Fact::norm_backward;
    return std::nullopt;
}

std::vector<std::int64_t> key_of(Fact fact, std::span<const std::int64_t> values) {
    std::vector<std::int64_t> key{static_cast<std::int64_t>(fact)};
    key.insert(key.end(), values.begin(), values.end());
    return key;
}

Bytes sum_of(const std::vector<Bytes>& sizes) {
    Bytes sum;
    for (const Bytes size : sizes) sum += size;
    return sum;
}

// The indices in a key of Fact::rnn_work: the fact and a 0, then these.
namespace recurrent {
constexpr std::size_t mode = 2, dtype = 3, batch = 4, steps = 5, inputs = 6, hidden = 7, layers = 8,
                      ways = 9, length = 10;
}

double value_at(std::span<const std::int64_t> key, std::size_t index) {
    return static_cast<double>(std::max<std::int64_t>(1, key[index]));
}

// The part of a layer's workspace that does not depend on the batch: its weights, and 8 MiB per
// layer and direction.
double fixed_part(std::span<const std::int64_t> key) {
    using namespace recurrent;
    const double gates = key[mode] == 2 ? 4 : key[mode] == 3 ? 3 : 1;
    const double size = key[dtype] == 0 ? 4 : 2;
    const double ways_of = value_at(key, ways), width = value_at(key, hidden);
    const double weights =
        gates * ways_of * width *
        (value_at(key, inputs) + width + (value_at(key, layers) - 1) * (ways_of + 1) * width);
    return size * weights + value_at(key, layers) * ways_of * 8 * 1024 * 1024;
}

// How the other part grows from layer to layer: with the gates above all, and with a copy of the
// input.
double width_of(std::span<const std::int64_t> key) {
    return 5 * value_at(key, recurrent::hidden) + value_at(key, recurrent::inputs);
}

// Which kernels cuDNN takes. For small layers, and in half precision for multiples of 64, it has
// kernels that keep the weights on the chip; their workspaces are different.
int kernels_for(std::int64_t hidden) { return hidden <= 192 ? 0 : hidden % 64 == 0 ? 1 : 2; }

double apart(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    using namespace recurrent;
    const auto by = [&](std::size_t index) {
        return std::abs(std::log2(value_at(a, index)) - std::log2(value_at(b, index)));
    };
    const double strange = kernels_for(a[hidden]) != kernels_for(b[hidden]) ? 10 : 0;
    return strange + by(hidden) + by(inputs) / 5 + by(layers) + (by(batch) + by(steps)) / 100;
}

// "integers... = bytes bytes...", or, for a convolution at several batches, "= batch:bytes ..."
// with a batch of 0 among the integers.
struct TableRow {
    std::vector<std::int64_t> values;
    std::vector<Bytes> sizes;
    std::vector<std::int64_t> batches;  // of each size, or none
};

std::optional<std::int64_t> figure(std::string_view word) {
    const auto value = parse_number<std::int64_t>(word);
    if (!value || *value < 0 || *value > (std::int64_t{1} << 50U)) return std::nullopt;
    return value;
}

std::optional<TableRow> parse_row(std::string_view rest) {
    TableRow row;
    bool after = false;
    while (const auto word = next_word(rest)) {
        if (*word == "=") {
            after = true;
            continue;
        }
        const std::size_t colon = after ? word->find(':') : std::string_view::npos;
        const bool batched = colon != std::string_view::npos;
        const auto value = figure(batched ? word->substr(colon + 1) : *word);
        const auto batch = batched ? figure(word->substr(0, colon)) : std::nullopt;
        if (!value || (batched && !batch)) return std::nullopt;
        if (batch) row.batches.push_back(*batch);
        if (after)
            row.sizes.push_back({static_cast<std::uint64_t>(*value)});
        else
            row.values.push_back(*value);
    }
    const bool sound = row.batches.empty() || row.batches.size() == row.sizes.size();
    return after && !row.values.empty() && sound ? std::optional(std::move(row)) : std::nullopt;
}

bool add_to(ConvTable& table, const TableRow& row) {
    if (row.batches.empty()) return table.add(row.values, sum_of(row.sizes));
    if (row.values.size() <= conv_batch_index) return false;
    for (std::size_t i = 0; i < row.batches.size(); ++i) {
        std::vector<std::int64_t> values = row.values;
        values[conv_batch_index] = row.batches[i];
        if (!table.add(std::move(values), row.sizes[i])) return false;
    }
    return true;
}

}  // namespace

Result<WorkspaceTable> WorkspaceTable::parse(std::string_view text) {
    WorkspaceTable table;
    int number = 0;
    while (const auto line = next_line(text)) {
        ++number;
        std::string_view rest = trim(*line);
        if (rest.empty() || rest.starts_with('#')) continue;
        const auto wrong = [&] {
            return Error{"line " + std::to_string(number) + " of the workspace table"};
        };
        const std::string_view name = next_word(rest).value_or("");
        if (name == "gpu") table.gpu = std::string(trim(rest));
        if (name == "context") {
            const auto bytes = parse_number<std::uint64_t>(trim(rest));
            if (!bytes) return wrong();
            table.context = Bytes{*bytes};
        }
        const auto fact = fact_named(name);
        if (!fact) continue;  // a header, or a row of a newer version
        auto row = parse_row(rest);
        if (!row) return wrong();
        if (*fact != Fact::conv)
            table.rows_[key_of(*fact, row->values)] = std::move(row->sizes);
        else if (!add_to(table.convolutions_, *row))
            return wrong();
    }
    table.convolutions_.arrange();
    return table;
}

Result<WorkspaceTable> WorkspaceTable::read(const std::string& path) {
    const auto text = read_file(path, std::size_t{64} << 20U);
    if (!text) return text.error();
    return parse(*text).context(path);
}

WorkspaceTable WorkspaceTable::shipped(std::uint32_t sm) {
    for (const ShippedTable& shipped : shipped_tables()) {
        if (shipped.sm != sm) continue;
        auto table = parse(shipped.text());
        if (table) return std::move(*table);
    }
    return {};
}

std::optional<std::vector<Bytes>> WorkspaceTable::exact(
    Fact fact, std::span<const std::int64_t> values) const {
    const auto found = rows_.find(key_of(fact, values));
    if (found == rows_.end()) return std::nullopt;
    return found->second;
}

std::vector<RecurrentSample> WorkspaceTable::samples_of_layer(const Key& wanted) const {
    using namespace recurrent;
    std::vector<RecurrentSample> found;
    const Key from(wanted.begin(), wanted.begin() + batch);
    for (auto row = rows_.lower_bound(from); row != rows_.end(); ++row) {
        const Key& key = row->first;
        if (!std::equal(from.begin(), from.end(), key.begin())) break;
        if (key.size() != length || !std::equal(key.begin() + inputs, key.end(), &wanted[inputs]))
            continue;
        found.push_back({value_at(key, batch), value_at(key, steps),
                         static_cast<double>(sum_of(row->second).count)});
    }
    return found;
}

std::optional<WorkspaceTable::Key> WorkspaceTable::layer_like(const Key& wanted) const {
    using namespace recurrent;
    const Key* nearest = nullptr;
    double least = 0;
    const Key from(wanted.begin(), wanted.begin() + batch);
    for (auto row = rows_.lower_bound(from); row != rows_.end(); ++row) {
        const Key& key = row->first;
        if (!std::equal(from.begin(), from.end(), key.begin())) break;
        if (key.size() != length || key[ways] != wanted[ways]) continue;
        const double distance = apart(key, wanted);
        if (nearest != nullptr && distance >= least) continue;
        nearest = &key;
        least = distance;
    }
    return nearest != nullptr ? std::optional(*nearest) : std::nullopt;
}

std::optional<Workspace> WorkspaceTable::rnn_work(std::span<const std::int64_t> values) const {
    using namespace recurrent;
    const Key wanted = key_of(Fact::rnn_work, values);
    if (wanted.size() != length) return std::nullopt;
    if (auto sizes = exact(Fact::rnn_work, values))
        return Workspace{std::move(*sizes), Grade::measured};
    if (const auto bytes =
            on_plane(samples_of_layer(wanted), value_at(wanted, batch), value_at(wanted, steps)))
        return Workspace{{within_reason(*bytes)}, Grade::between};
    const auto like = layer_like(wanted);
    if (!like) return std::nullopt;
    double changing = 0;  // the part that grows with batch and steps
    if (const auto all =
            on_plane(samples_of_layer(*like), value_at(wanted, batch), value_at(wanted, steps))) {
        changing = *all - fixed_part(*like);
    } else {
        const auto measured = static_cast<double>(sum_of(rows_.at(*like)).count);
        changing = (measured - fixed_part(*like)) * value_at(wanted, batch) *
                   value_at(wanted, steps) / (value_at(*like, batch) * value_at(*like, steps));
    }
    const double bytes =
        fixed_part(wanted) + std::max(0.0, changing) * width_of(wanted) / width_of(*like);
    return Workspace{{within_reason(bytes)}, Grade::nearest};
}

}  // namespace holdfast::fit
