#include "diagnose/text/device_assertion.h"

#include <array>

#include "base/text.h"

namespace holdfast {
namespace {

constexpr std::string_view block_mark = ": block: [";
constexpr std::string_view condition_mark = "] Assertion `";
constexpr std::string_view end_mark = "` failed.";

std::optional<DeviceAssertion> parse(std::string_view line) {
    const std::size_t block = line.find(block_mark);
    const std::size_t condition = line.find(condition_mark);
    const std::size_t end = line.rfind(end_mark);
    if (block == std::string_view::npos || condition == std::string_view::npos ||
        end == std::string_view::npos || condition < block ||
        end < condition + condition_mark.size())
        return std::nullopt;
    // "FILE:LINE: FUNCTION"; a function's name may contain colons.
    const std::string_view head = trim(line.substr(0, block));
    const std::size_t file_end = head.find(':');
    const std::size_t line_end = head.find(": ", file_end == head.npos ? 0 : file_end + 1);
    if (file_end == head.npos || line_end == head.npos) return std::nullopt;
    const std::size_t start = condition + condition_mark.size();
    return DeviceAssertion{std::string(base_name(head.substr(0, file_end))),
                           std::string(trim(head.substr(line_end + 2))),
                           std::string(line.substr(start, end - start))};
}

// A lambda has no name. The file tells whose it is, and the kernel is named after the function
// around it.
struct LambdaPlace {
    std::string_view file, kernel;
};
constexpr std::array lambda_places{
    LambdaPlace{"IndexKernel.cu", "index"},
    LambdaPlace{"ScatterGatherKernel.cu", "scatter_gather"},
    LambdaPlace{"Loss.cu", "binary_cross_entropy"},
};

// Kernels of torch that check labels, indices or probabilities.
constexpr std::array<std::string_view, 9> checking{
    "nll_loss",          "indexSelect",    "index_elementwise",
    "vectorized_gather", "scatter_gather", "binary_cross_entropy",
    "multinomial",       "embedding",      "MultiMarginLoss"};

bool contains(std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
}

}  // namespace

std::optional<DeviceAssertion> device_assertion(std::string_view stderr_tail) {
    std::optional<DeviceAssertion> found;
    for (std::string_view rest = stderr_tail; const auto line = next_line(rest);) {
        std::optional<DeviceAssertion> said = parse(*line);
        if (!said) continue;
        if (found && found->function != said->function) return std::nullopt;
        if (!found) found = std::move(said);
    }
    return found;
}

bool fits_kernel(const DeviceAssertion& assertion, std::string_view kernel) {
    if (assertion.function == "operator()") {
        for (const LambdaPlace& place : lambda_places)
            if (assertion.file == place.file) return contains(kernel, place.kernel);
        return false;
    }
    return !kernel.empty() && kernel.substr(0, kernel.find('(')) == assertion.function;
}

bool kernel_asserts(std::string_view kernel) {
    for (const std::string_view part : checking)
        if (contains(kernel, part)) return true;
    return false;
}

std::optional<OutOfRange> out_of_range(const DeviceAssertion& assertion) {
    using What = OutOfRange::What;
    const std::string_view condition = assertion.condition;
    if (contains(condition, "n_classes") && contains(condition, ">= 0"))
        return OutOfRange{What::label, Confidence::certain};
    if (contains(condition, "srcIndex < srcSelectDimSize"))
        return OutOfRange{What::index, Confidence::certain};
    // Plain indexing prints this, too, and then the program's own arithmetic may be wrong.
    if (contains(condition, "index out of bounds"))
        return OutOfRange{What::index, Confidence::likely};
    // A NaN is not between 0 and 1 either.
    if (contains(condition, "_val >= zero") && contains(condition, "<= one"))
        return OutOfRange{What::probability, Confidence::likely};
    return std::nullopt;
}

}  // namespace holdfast
