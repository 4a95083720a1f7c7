#include "fit/workspace_table.h"

#include <algorithm>
#include <cmath>

#include "base/read_file.h"
#include "base/text.h"
#include "fit/shipped_tables.h"

namespace holdfast::fit {
namespace {

constexpr std::size_t dtype_index = 1;  // in a conv fact
constexpr std::size_t batch_index = 6;

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

std::vector<std::int64_t> shape_key(std::span<const std::int64_t> values) {
    auto key = key_of(Fact::conv, values);
    key[1 + batch_index] = 0;
    return key;
}

// Calls that differ only in extents: channels, image, batch.
std::vector<std::int64_t> kind_key(const ConvCall& call) {
    std::vector<std::int64_t> key{static_cast<std::int64_t>(call.direction),
                                  static_cast<std::int64_t>(call.dtype),
                                  call.channels_last ? 1 : 0,
                                  call.transposed ? 1 : 0,
                                  call.groups == 1   ? 0
                                  : call.depthwise() ? 2
                                                     : 1,
                                  static_cast<std::int64_t>(call.dims)};
    for (const auto* list : {&call.kernel, &call.stride, &call.dilation})
        for (const std::uint64_t value : *list) key.push_back(static_cast<std::int64_t>(value));
    return key;
}

double distance(const ConvCall& a, const ConvCall& b) {
    const auto apart = [](std::uint64_t x, std::uint64_t y) {
        return std::abs(std::log2(static_cast<double>(std::max<std::uint64_t>(1, x))) -
                        std::log2(static_cast<double>(std::max<std::uint64_t>(1, y))));
    };
    // Vectorised kernels want channels in multiples of their width: a stem is like no other layer.
    const bool odd =
        (a.inputs % 4 == 0) != (b.inputs % 4 == 0) || (a.outputs % 4 == 0) != (b.outputs % 4 == 0);
    return (odd ? 8 : 0) + apart(a.inputs, b.inputs) + apart(a.outputs, b.outputs) +
           apart(a.in[0] * a.in[1] * a.in[2], b.in[0] * b.in[1] * b.in[2]) / 2 +
           apart(a.batch, b.batch) / 2;
}

// Most plans hold copies of some operands in another layout and little more. Which ones is read off
// the sample; the call at hand then needs its own.
Bytes scaled(const ConvCall& sample, Bytes measured, const ConvCall& call) {
    const std::uint64_t parts[3] = {sample.input_bytes(), sample.weight_bytes(),
                                    sample.output_bytes()};
    const std::uint64_t own[3] = {call.input_bytes(), call.weight_bytes(), call.output_bytes()};
    std::uint64_t best_rest = measured.count;
    unsigned best = 0;
    for (unsigned subset = 0; subset < 8; ++subset) {
        std::uint64_t sum = 0;
        for (unsigned i = 0; i < 3; ++i)
            if ((subset >> i & 1U) != 0) sum += parts[i];
        if (sum <= measured.count && measured.count - sum < best_rest) {
            best_rest = measured.count - sum;
            best = subset;
        }
    }
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < 3; ++i)
        if ((best >> i & 1U) != 0) sum += own[i];
    const std::uint64_t explained = measured.count - best_rest;
    // What no set of copies explains grows with the work, unless it is the small change.
    if (explained == 0 || best_rest > explained / 4) {
        const double growth =
            static_cast<double>(own[0] + own[1] + own[2]) /
            static_cast<double>(std::max<std::uint64_t>(1, parts[0] + parts[1] + parts[2]));
        return {sum + static_cast<std::uint64_t>(static_cast<double>(best_rest) * growth)};
    }
    return {sum + best_rest};
}

// A table may come from anywhere, and a figure in it may be beyond what an integer holds.
Bytes within_reason(double bytes) {
    constexpr double most = 1ULL << 60U;
    return {static_cast<std::uint64_t>(std::clamp(bytes, 0.0, most))};
}

Bytes sum_of(const std::vector<Bytes>& sizes) {
    Bytes sum;
    for (const Bytes size : sizes) sum += size;
    return sum;
}

// What a recurrent layer's workspace grows with: the gates of all steps, and the weights.
double rnn_work_of(std::span<const std::int64_t> values) {
    const auto at = [&](std::size_t index) { return static_cast<double>(values[index]); };
    const double gates = values[1] == 2 ? 4 : values[1] == 3 ? 3 : 1;
    const double batch = at(3), steps = at(4), inputs = at(5), hidden = at(6), layers = at(7);
    return gates * hidden * (batch * steps + inputs + hidden * (2 * layers - 1));
}

}  // namespace

Result<WorkspaceTable> WorkspaceTable::parse(std::string_view text) {
    WorkspaceTable table;
    int number = 0;
    while (const auto line = next_line(text)) {
        ++number;
        const std::string_view row = trim(*line);
        if (row.empty() || row.starts_with('#')) continue;
        const Error wrong{"line " + std::to_string(number) + " of the workspace table"};
        std::string_view rest = row;
        const std::string_view name = next_word(rest).value_or("");
        if (name == "gpu") table.gpu = std::string(trim(rest));
        if (name == "context") {
            const auto bytes = parse_number<std::uint64_t>(trim(rest));
            if (!bytes) return wrong;
            table.context = Bytes{*bytes};
        }
        const auto fact = fact_named(name);
        if (!fact) continue;  // a header, or written by a newer version
        std::vector<std::int64_t> values;
        std::vector<Bytes> sizes;
        bool after = false;
        while (const auto word = next_word(rest)) {
            if (*word == "=") {
                after = true;
                continue;
            }
            const auto value = parse_number<std::int64_t>(*word);
            if (!value || *value < 0 || *value > (std::int64_t{1} << 50U)) return wrong;
            if (after)
                sizes.push_back({static_cast<std::uint64_t>(*value)});
            else
                values.push_back(*value);
        }
        if (!after || values.empty()) return wrong;
        if (*fact == Fact::conv) {
            const auto call = ConvCall::from(values);
            if (!call) return wrong;
            const Bytes sum = sum_of(sizes);
            table.by_shape_[shape_key(values)].push_back({*call, sum});
            table.by_kind_[kind_key(*call)].push_back({*call, sum});
        }
        table.rows_[key_of(*fact, values)] = std::move(sizes);
    }
    for (auto& [key, samples] : table.by_shape_)
        std::ranges::sort(samples, {}, [](const Sample& sample) { return sample.call.batch; });
    return table;
}

Result<WorkspaceTable> WorkspaceTable::read(const std::string& path) {
    const auto text = read_file(path, std::size_t{64} << 20U);
    if (!text) return text.error();
    return parse(*text).context(path);
}

WorkspaceTable WorkspaceTable::shipped(std::uint32_t sm) {
    for (const ShippedTable& shipped : shipped_tables) {
        if (shipped.sm != sm) continue;
        auto table = parse(shipped.text);
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
    std::vector<RecurrentSample> found;
    const Key from(wanted.begin(), wanted.begin() + 4);  // the fact, 0, the mode, the type
    for (auto row = rows_.lower_bound(from); row != rows_.end(); ++row) {
        const Key& key = row->first;
        if (!std::equal(from.begin(), from.end(), key.begin())) break;
        if (key.size() != wanted.size() ||
            !std::equal(key.begin() + 6, key.end(), wanted.begin() + 6))
            continue;
        found.push_back({static_cast<double>(key[4]), static_cast<double>(key[5]),
                         static_cast<double>(sum_of(row->second).count)});
    }
    return found;
}

std::optional<Workspace> WorkspaceTable::rnn_work(std::span<const std::int64_t> values) const {
    constexpr std::size_t length = 9;
    if (values.size() != length) return std::nullopt;
    if (auto sizes = exact(Fact::rnn_work, values))
        return Workspace{std::move(*sizes), Grade::measured};
    const Key wanted = key_of(Fact::rnn_work, values);
    const auto batch = static_cast<double>(wanted[4]), steps = static_cast<double>(wanted[5]);
    if (const auto bytes = on_plane(samples_of_layer(wanted), batch, steps))
        return Workspace{{within_reason(*bytes)}, Grade::between};
    const Key* nearest = nullptr;
    double least = 0;
    const Key from(wanted.begin(), wanted.begin() + 4);
    for (auto row = rows_.lower_bound(from); row != rows_.end(); ++row) {
        const Key& key = row->first;
        if (!std::equal(from.begin(), from.end(), key.begin())) break;
        if (key.size() != wanted.size() || key.back() != wanted.back()) continue;  // both ways
        double apart = 0;
        for (std::size_t i = 4; i + 1 < key.size(); ++i)
            apart += std::abs(std::log2(static_cast<double>(std::max<std::int64_t>(1, key[i]))) -
                              std::log2(static_cast<double>(std::max<std::int64_t>(1, wanted[i]))));
        if (nearest == nullptr || apart < least) {
            nearest = &key;
            least = apart;
        }
    }
    if (nearest == nullptr) return std::nullopt;
    const double growth =
        rnn_work_of(values) / std::max(1.0, rnn_work_of(std::span(*nearest).subspan(1)));
    const auto measured = static_cast<double>(sum_of(rows_.at(*nearest)).count);
    return Workspace{{within_reason(measured * growth)}, Grade::nearest};
}

// The same call at another batch. Plans change with the batch now and then; where the two samples
// around it tell the same story it lies on their line, else the larger batch is the better witness.
std::optional<Workspace> WorkspaceTable::other_batch(const ConvCall& call,
                                                     const std::vector<Sample>& samples) {
    const auto above = std::ranges::lower_bound(
        samples, call.batch, {}, [](const Sample& sample) { return sample.call.batch; });
    const auto second = above == samples.begin() ? above + 1 : above;
    if (second >= samples.end()) {
        const Sample& last = samples.back();
        return Workspace{{scaled(last.call, last.bytes, call)}, Grade::between};
    }
    const Sample& low = *(second - 1);
    const Sample& high = *second;
    const Bytes by_low = scaled(low.call, low.bytes, call);
    const Bytes by_high = scaled(high.call, high.bytes, call);
    const std::uint64_t apart =
        by_low > by_high ? by_low.count - by_high.count : by_high.count - by_low.count;
    const std::uint64_t operands = call.input_bytes() + call.weight_bytes() + call.output_bytes();
    if (apart > operands / 50 + Bytes::mib(1).count)
        return Workspace{{above == samples.begin() ? by_low : by_high}, Grade::nearest};
    const double slope =
        (static_cast<double>(high.bytes.count) - static_cast<double>(low.bytes.count)) /
        static_cast<double>(high.call.batch - low.call.batch);
    const double value =
        static_cast<double>(low.bytes.count) +
        slope * (static_cast<double>(call.batch) - static_cast<double>(low.call.batch));
    return Workspace{{within_reason(value)}, Grade::between};
}

std::optional<Workspace> WorkspaceTable::conv(const ConvCall& call,
                                              std::span<const std::int64_t> values) const {
    if (auto sizes = exact(Fact::conv, values))
        return Workspace{std::move(*sizes), Grade::measured};
    // The two half types share their kernels: nine of ten calls measured in both took the same.
    Key twin(values.begin(), values.end());
    const bool has_twin = call.dtype == Dtype::float16 || call.dtype == Dtype::bfloat16;
    if (has_twin) {
        twin[dtype_index] = 3 - twin[dtype_index];
        if (auto sizes = exact(Fact::conv, twin))
            return Workspace{std::move(*sizes), Grade::between};
    }
    if (const auto shape = by_shape_.find(shape_key(values)); shape != by_shape_.end())
        return other_batch(call, shape->second);
    if (has_twin)
        if (const auto shape = by_shape_.find(shape_key(twin)); shape != by_shape_.end())
            return other_batch(call, shape->second);
    const auto kind = by_kind_.find(kind_key(call));
    if (kind == by_kind_.end()) return std::nullopt;
    const Sample* nearest = nullptr;
    double least = 0;
    for (const Sample& sample : kind->second) {
        const double apart = distance(sample.call, call);
        if (nearest == nullptr || apart < least) {
            nearest = &sample;
            least = apart;
        }
    }
    return Workspace{{scaled(nearest->call, nearest->bytes, call)}, Grade::nearest};
}

}  // namespace holdfast::fit
