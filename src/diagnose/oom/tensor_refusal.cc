#include "diagnose/oom/tensor_refusal.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "diagnose/death/witnesses.h"
#include "diagnose/text/last_text.h"
#include "model/agent_evidence.h"

namespace holdfast {
namespace {

constexpr std::size_t none = std::string_view::npos;

bool log_has(std::string_view text, std::string_view part) { return text.find(part) != none; }

std::string_view digits_at(std::string_view text) {
    return text.substr(0, text.find_first_not_of("0123456789"));
}

std::optional<std::uint64_t> whole_after(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == none) return std::nullopt;
    return parse_number<std::uint64_t>(digits_at(trim(text.substr(at + mark.size()))));
}

// "17179869184 bytes", "16.00GiB", "16.00 GiB".
std::optional<Bytes> amount_after(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == none) return std::nullopt;
    const std::string_view rest = trim(text.substr(at + mark.size()));
    const std::size_t end = std::min(rest.find_first_not_of("0123456789."), rest.size());
    const std::optional<double> value = parse_decimal(rest.substr(0, end));
    const std::string_view unit = trim(rest.substr(end));
    static constexpr std::array<std::pair<std::string_view, double>, 7> units{{{"bytes", 1.0},
                                                                               {"B", 1.0},
                                                                               {"KiB", 0x1p10},
                                                                               {"MiB", 0x1p20},
                                                                               {"GiB", 0x1p30},
                                                                               {"TiB", 0x1p40},
                                                                               {"PiB", 0x1p50}}};
    for (const auto& [name, factor] : units)
        if (value && *value >= 0 && unit.starts_with(name) && *value * factor < 0x1p63)
            return Bytes{static_cast<std::uint64_t>(*value * factor)};
    return std::nullopt;
}

// In the allocator's log a number without a unit counts bytes.
std::optional<Bytes> logged_after(std::string_view text, std::string_view mark) {
    if (const auto amount = amount_after(text, mark)) return amount;
    const auto whole = whole_after(text, mark);
    return whole ? std::optional<Bytes>(Bytes{*whole}) : std::nullopt;
}

std::optional<std::uint64_t> bytes_of_type(std::string_view type) {
    static constexpr std::array<std::pair<std::string_view, std::uint64_t>, 13> types{
        {{"float", 4},
         {"half", 2},
         {"bfloat16", 2},
         {"double", 8},
         {"int32", 4},
         {"int64", 8},
         {"int16", 2},
         {"int8", 1},
         {"uint8", 1},
         {"bool", 1},
         {"complex64", 8},
         {"complex128", 16},
         {"uint16", 2}}};
    for (const auto& [name, size] : types)
        if (type == name) return size;
    return std::nullopt;
}

// "shape[64,256,112,112] and type float on"
std::optional<Bytes> size_of_tensor(std::string_view line) {
    constexpr std::string_view shape_mark = "with shape[", type_mark = "] and type ";
    const std::size_t at = line.find(shape_mark);
    const std::size_t close = at == none ? none : line.find(type_mark, at);
    if (close == none) return std::nullopt;
    std::string_view type = line.substr(close + type_mark.size());
    const auto size = bytes_of_type(type.substr(0, type.find_first_of(" \n")));
    if (!size) return std::nullopt;
    double bytes = static_cast<double>(*size);
    std::string_view sizes = line.substr(at + shape_mark.size(), close - at - shape_mark.size());
    while (!sizes.empty()) {
        const auto piece = next_piece(sizes, ',');
        const auto length = piece ? parse_number<std::uint64_t>(trim(*piece)) : std::nullopt;
        if (!length) return std::nullopt;
        bytes *= static_cast<double>(*length);
    }
    if (bytes >= 0x1p63) return std::nullopt;
    return Bytes{static_cast<std::uint64_t>(bytes)};
}

std::string line_with(std::string_view message, std::string_view words) {
    for (std::string_view rest = message; const auto line = next_line(rest);)
        if (log_has(*line, words)) return std::string(trim(*line));
    return std::string(message);
}

// A log's lines begin with "2023-05-04 11:02:17.5: I tensorflow/.../bfc_allocator.cc:1083] ".
std::string_view without_prefix(std::string_view line) {
    const std::size_t at = line.find("bfc_allocator.cc:");
    const std::size_t close = at == none ? none : line.find("] ", at);
    return trim(close == none ? line : line.substr(close + 2));
}

void read_line(std::string_view line, BfcReport& report) {
    const auto stands = [&](std::string_view name, std::optional<Bytes>& into) {
        if (line.starts_with(name))
            if (const auto value = logged_after(line, name)) into = value;
    };
    stands("Limit:", report.limit);
    stands("InUse:", report.in_use);
    stands("MaxInUse:", report.peak);
    stands("Total bytes in pool:", report.pool);
    stands("Total size in pool:", report.pool);
    if (line.starts_with("Allocator memory summary:"))
        report.pool = logged_after(line, ", pool size ");
    if (line.starts_with("Free ") && log_has(line, " of size "))
        if (const auto size = logged_after(line, " of size "))
            report.largest_free = std::max(report.largest_free.value_or(Bytes{}), *size);
}

bool on_any_gpu(const Death& death) {
    return std::any_of(death.all.gpus.begin(), death.all.gpus.end(), [](const GpuEvidence& gpu) {
        return std::any_of(gpu.processes.begin(), gpu.processes.end(),
                           [](const GpuEvidence::Holder& holder) { return holder.ours; });
    });
}

}  // namespace

std::optional<TensorRefusal> parse_tensor_refusal(std::string_view type, std::string_view message) {
    const bool tensorflow = type.ends_with("ResourceExhaustedError");
    const bool jax = type.ends_with("XlaRuntimeError") || type.ends_with("JaxRuntimeError");
    TensorRefusal refusal;
    refusal.by = jax ? TensorRefusal::By::jax : TensorRefusal::By::tensorflow;
    if (!tensorflow && !jax) return std::nullopt;
    for (const std::string_view words :
         {"OOM when allocating tensor", "Out of memory while trying to allocate ",
          "Out of memory allocating ", "failed to allocate memory"}) {
        if (!log_has(message, words)) continue;
        refusal.line = line_with(message, words);
        refusal.asked = size_of_tensor(refusal.line);
        if (!refusal.asked) refusal.asked = amount_after(refusal.line, words);
        // The name of the op contains the device.
        refusal.on_gpu = log_has(refusal.line, "device:GPU:");
        refusal.on_cpu = !refusal.on_gpu && log_has(refusal.line, "device:CPU:");
        if (refusal.on_gpu)
            if (const auto device = whole_after(refusal.line, "device:GPU:"))
                refusal.device = static_cast<int>(std::min<std::uint64_t>(*device, 1024));
        return refusal;
    }
    return std::nullopt;
}

std::optional<BfcReport> parse_bfc_report(std::string_view log) {
    constexpr std::string_view asked_mark = "ran out of memory trying to allocate ";
    BfcReport report;
    bool found = false;
    for (std::string_view rest = log; const auto whole = next_line(rest);) {
        const std::string_view line = without_prefix(*whole);
        if (log_has(line, asked_mark)) {
            // TensorFlow uses the same words for a warning if it can do with less.
            if (log_has(line, "not a failure")) continue;
            if (!log_has(line, "GPU_")) continue;
            report = {};
            report.asked = logged_after(line, "(rounded to ");
            if (!report.asked) report.asked = amount_after(line, asked_mark);
            found = true;
        } else {
            read_line(line, report);
        }
    }
    return found || report.pool ? std::optional<BfcReport>(report) : std::nullopt;
}

std::optional<TensorRefusal> tensor_refused(const Death& death) {
    const TracebackText* traceback = final_exception(death);
    if (traceback == nullptr || !exception_decided_exit(death)) return std::nullopt;
    std::optional<TensorRefusal> refusal =
        parse_tensor_refusal(traceback->type, traceback->message);
    if (refusal && !refusal->on_gpu && !refusal->on_cpu)
        refusal->on_gpu = parse_bfc_report(death.all.stderr_tail) || on_any_gpu(death);
    return refusal;
}

namespace {

void read(std::string_view name, std::string_view value, TensorflowOptions& options) {
    if (name == "TF_FORCE_GPU_ALLOW_GROWTH") options.force_growth = value;
    if (name == "set_memory_growth") options.growth_called = value == "true";
}

void read(std::string_view name, std::string_view value, JaxOptions& options) {
    if (name == "XLA_PYTHON_CLIENT_PREALLOCATE") options.preallocate = value;
    if (name == "XLA_PYTHON_CLIENT_ALLOCATOR") options.allocator = value;
    if (!name.ends_with("CLIENT_MEM_FRACTION")) return;
    const auto fraction = parse_decimal(value);
    if (!fraction || !(*fraction > 0 && *fraction <= 1)) return;  // rejects NaN, too
    options.fraction = *fraction;
    options.fraction_name = name;
}

// Reads the lines below the framework's name.
template <class Options>
void read_all(std::string_view lines, Options& options, GpuOptions& all) {
    while (const auto line = next_line(lines)) {
        const std::size_t equals = line->find('=');
        if (equals == std::string_view::npos) continue;
        const std::string_view name = line->substr(0, equals), value = line->substr(equals + 1);
        read(name, value, options);
        if (name == "TF_GPU_ALLOCATOR") all.allocator = value;
        if (all.set.find(*line) != std::string::npos) continue;
        if (!all.set.empty()) all.set += ", ";
        all.set += *line;
    }
}

}  // namespace

GpuOptions gpu_options(const Death& death) {
    GpuOptions options;
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr) return options;
    for (const NoteEvidence& note : agent->notes) {
        if (note.kind != NoteEvidence::Kind::framework) continue;
        std::string_view lines = note.text;
        const auto framework = next_line(lines);
        if (framework == "tensorflow")
            read_all(lines, options.tensorflow.emplace(), options);
        else if (framework == "jax")
            read_all(lines, options.jax.emplace(), options);
    }
    return options;
}

}  // namespace holdfast
