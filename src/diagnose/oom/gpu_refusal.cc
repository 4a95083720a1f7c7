#include "diagnose/oom/gpu_refusal.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "diagnose/oom/tensor_refusal.h"

namespace holdfast {
namespace {

std::optional<Bytes> size_of(std::string_view number, std::string_view unit) {
    static constexpr std::array<std::pair<std::string_view, double>, 6> units{{{"bytes", 1.0},
                                                                               {"KiB", 0x1p10},
                                                                               {"MiB", 0x1p20},
                                                                               {"GiB", 0x1p30},
                                                                               {"TiB", 0x1p40},
                                                                               {"PiB", 0x1p50}}};
    const std::optional<double> value = parse_decimal(number);
    if (!value || *value < 0) return std::nullopt;
    for (const auto& [name, factor] : units)
        if (unit == name && *value * factor < 0x1p63)
            return Bytes{static_cast<std::uint64_t>(*value * factor)};
    return std::nullopt;
}

// The two words that begin at `rest`: "2.00 GiB.", "15.90 GiB;".
std::optional<Bytes> amount_at(std::string_view rest) {
    const std::optional<std::string_view> number = next_word(rest);
    const std::optional<std::string_view> unit = next_word(rest);
    if (!number || !unit) return std::nullopt;
    return size_of(*number, unit->substr(0, unit->find_first_of(".,;)")));
}

// The amount behind a mark: "Tried to allocate 2.00 GiB".
std::optional<Bytes> after(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    return amount_at(text.substr(at + mark.size()));
}

// The amount before a mark: "15.90 GiB total capacity".
std::optional<Bytes> before(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    std::size_t begin = at;
    for (int words = 0; words < 2; ++words) {
        begin = text.find_last_not_of(' ', begin == 0 ? 0 : begin - 1);
        begin = begin == std::string_view::npos ? begin : text.rfind(' ', begin);
        if (begin == std::string_view::npos) return std::nullopt;
    }
    return amount_at(text.substr(begin + 1));
}

std::optional<int> device_in(std::string_view text) {
    const std::size_t at = text.find("GPU ");
    if (at == std::string_view::npos || at + 4 >= text.size()) return std::nullopt;
    const char digit = text[at + 4];
    return digit >= '0' && digit <= '9' ? std::optional<int>(digit - '0') : std::nullopt;
}

}  // namespace

std::optional<GpuRefusal> parse_gpu_refusal(std::string_view message) {
    const bool told = message.find("CUDA out of memory") != std::string_view::npos ||
                      message.find("HIP out of memory") != std::string_view::npos;
    if (!told) return std::nullopt;
    GpuRefusal refusal;
    refusal.device = device_in(message);
    refusal.asked = after(message, "Tried to allocate ");
    refusal.capacity = after(message, "total capacity of ");
    if (refusal.capacity) {
        refusal.free = after(message, "of which ");
        refusal.own = after(message, "this process has ");
        refusal.allowed = before(message, "allowed;");
        refusal.allocated = after(message, "Of the allocated memory ");
        refusal.unused = before(message, "is reserved by PyTorch but unallocated");
        return refusal;
    }
    refusal.capacity = before(message, "total capacity");
    refusal.allocated = before(message, "already allocated");
    refusal.free = before(message, "free;");
    const std::optional<Bytes> reserved = before(message, "reserved in total by PyTorch");
    if (reserved && refusal.allocated) refusal.unused = *reserved - *refusal.allocated;
    refusal.own = reserved ? reserved : refusal.allocated;
    return refusal;
}

GpuRefusal gpu_refusal_of(const TensorRefusal& refusal, std::string_view log) {
    GpuRefusal figures;
    figures.framework =
        refusal.by == TensorRefusal::By::jax ? GpuFramework::jax : GpuFramework::tensorflow;
    figures.device = refusal.device;
    figures.asked = refusal.asked;
    const std::optional<BfcReport> report = parse_bfc_report(log);
    if (!report) return figures;
    if (report->asked) figures.asked = report->asked;
    figures.capacity = figures.allowed = report->limit;
    figures.own = figures.allocated = report->in_use;
    figures.largest_free = report->largest_free;
    if (!report->in_use || !report->pool) return figures;
    figures.unused = *report->pool - *report->in_use;
    // The allocator was allowed to take more, so it was the driver that had no more to give.
    if (report->limit && figures.asked && *report->pool + *figures.asked <= *report->limit) {
        figures.own = report->pool;
        figures.free = Bytes{};
    }
    // A free piece was large enough, so fragmentation was not the reason.
    if (figures.asked && figures.largest_free && *figures.largest_free >= *figures.asked)
        figures.unused.reset();
    return figures;
}

}  // namespace holdfast
