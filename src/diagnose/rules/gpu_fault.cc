// HF311, HF312, and HF602 if it caused the latter: a kernel failed on the GPU. The program notices
// at its next wait for the GPU, which is not the line that launched the kernel.
#include <array>
#include <csignal>

#include "diagnose/death/launch_line.h"
#include "diagnose/facts/gpu.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/last_text.h"

namespace holdfast::rules {
namespace {

constexpr std::string_view assert_words = "device-side assert triggered";
constexpr std::string_view access_words = "an illegal memory access was encountered";

// In an exception that nobody caught, or right before an abort.
std::optional<Said> failed_with(const Autopsy& death, std::string_view words) {
    std::optional<Said> said = said_last(death, {words});
    if (!said || (!exception_decided_exit(death) && !(death.by(SIGABRT) && said->final)))
        return std::nullopt;
    return said;
}

std::optional<DeviceAssertion> assertion_of(const Autopsy& death) {
    if (!death.decides || !death.all.stderr_seen) return std::nullopt;
    return device_assertion(death.all.stderr_tail);
}

// Names the line that launched the kernel, and not the line that noticed.
facts::FaultPlace place_of(const Autopsy& death, const std::optional<LaunchLine>& line) {
    if (!line && !launches_watched(death)) return {};
    return {death.died_at, line};
}

void take_line(Finding& finding, const Autopsy& death, const std::optional<LaunchLine>& line) {
    if (!line && !launches_watched(death)) return;
    finding.where.reset();
    if (!line) return;
    finding.where = line->where;
    if (!line->only_one) finding.confidence = at_most(finding.confidence, Confidence::likely);
}

Confidence as_sure_as_exit(const Autopsy& death) {
    return death.sure_of_exit() ? Confidence::certain : Confidence::likely;
}

}  // namespace

std::optional<Finding> cuda_assert(const Autopsy& death) {
    const std::optional<Said> said = failed_with(death, assert_words);
    if (!said) return std::nullopt;
    const std::optional<DeviceAssertion> assertion = assertion_of(death);
    const std::optional<LaunchLine> line = line_of_assertion(death, assertion);
    Finding finding = finding_about(death, "cuda-assert"_cause, as_sure_as_exit(death),
                                    facts::CudaAssert{*said, assertion, place_of(death, line)});
    take_line(finding, death, line);
    return finding;
}

std::optional<Finding> label_behind_assert(const Autopsy& death) {
    if (!failed_with(death, assert_words)) return std::nullopt;
    const std::optional<DeviceAssertion> assertion = assertion_of(death);
    if (!assertion) return std::nullopt;
    const std::optional<OutOfRange> range = out_of_range(*assertion);
    if (!range) return std::nullopt;
    const std::optional<LaunchLine> line = line_of_assertion(death, assertion);
    Finding finding = finding_about(
        death, "bad-label"_cause, death.sure_of_exit() ? range->confidence : Confidence::likely,
        facts::LabelOnGpu{range->what, *assertion, place_of(death, line)});
    finding.topic = Topic::device_assert;
    take_line(finding, death, line);
    if (!line) finding.where.reset();  // the line that noticed has no label
    return finding;
}

std::optional<Finding> cuda_illegal_access(const Autopsy& death) {
    const std::optional<Said> said = failed_with(death, access_words);
    if (!said) return std::nullopt;
    const std::optional<LaunchLine> line = line_of_access(death);
    Finding finding = finding_about(death, "cuda-illegal-access"_cause, as_sure_as_exit(death),
                                    facts::CudaIllegalAccess{*said, place_of(death, line)});
    take_line(finding, death, line);
    return finding;
}

}  // namespace holdfast::rules
