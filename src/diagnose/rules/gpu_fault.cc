// HF311, HF312, and HF602 behind the latter: a kernel failed on the GPU. The program notices where
// it next waits; the line that launched the kernel is another one.
#include <array>
#include <csignal>

#include "base/format.h"
#include "diagnose/inside.h"
#include "diagnose/last_text.h"
#include "diagnose/launch_line.h"
#include "diagnose/place.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

constexpr std::string_view assert_words = "device-side assert triggered";
constexpr std::string_view access_words = "an illegal memory access was encountered";

// By an exception that nobody caught, or an abort right after the words.
std::optional<Said> failed_with(const Death& death, std::string_view words) {
    std::optional<Said> said = said_last(death, {words});
    if (!said || (!exception_decided_exit(death) && !(death.by(SIGABRT) && said->final)))
        return std::nullopt;
    return said;
}

std::optional<DeviceAssertion> assertion_of(const Death& death) {
    if (!death.decides || !death.all.stderr_seen) return std::nullopt;
    return device_assertion(death.all.stderr_tail);
}

// The line that launched it takes the place of the one that noticed.
void tell_line(Finding& finding, const Death& death, const std::optional<LaunchLine>& line) {
    if (!line && !launches_watched(death)) return;
    if (const std::optional<Where> noticed = finding.where)
        finding.evidence.push_back({"noticed at", short_place(*noticed)});
    finding.where.reset();
    if (!line) return;
    finding.where = line->where;
    finding.evidence.push_back(line->seen);
    if (!line->only_one) finding.confidence = at_most(finding.confidence, Confidence::likely);
}

Finding fault(const Death& death, CauseId cause, const Said& said) {
    Finding finding =
        finding_about(death, cause, death.sure_of_exit() ? Confidence::certain : Confidence::likely,
                      formatted("{} stopped with: {}", who(death), shortened(said.line)));
    finding.evidence.push_back({said.source, shortened(said.line)});
    return finding;
}

std::string_view name_of(OutOfRange::What what) {
    switch (what) {
    case OutOfRange::What::label: return "a label outside the classes that the model has";
    case OutOfRange::What::index: return "an index outside the table that it looks into";
    case OutOfRange::What::probability: return "a value that is not between 0 and 1";
    }
    return "";
}

Fix fix_of(OutOfRange::What what) {
    switch (what) {
    case OutOfRange::What::label:
        return {
            "Check all labels once before training: classes count from 0, and what stands for "
            "\"ignore this\" must be told to the loss.",
            "assert 0 <= int(labels.min()) and int(labels.max()) < num_classes"};
    case OutOfRange::What::index:
        return {
            "Check the indices against the table; an embedding needs as many rows as there are "
            "tokens.",
            "assert 0 <= int(index.min()) and int(index.max()) < table.shape[0]"};
    case OutOfRange::What::probability:
        return {
            "Give raw outputs to a loss that applies the sigmoid itself; and look whether they "
            "are numbers at all.",
            "torch.nn.BCEWithLogitsLoss()"};
    }
    return {};
}

}  // namespace

std::optional<Finding> cuda_assert(const Death& death) {
    const std::optional<Said> said = failed_with(death, assert_words);
    if (!said) return std::nullopt;
    Finding finding = fault(death, "cuda-assert"_cause, *said);
    const std::optional<DeviceAssertion> assertion = assertion_of(death);
    if (assertion)
        finding.evidence.push_back({"stderr", formatted("{}: assertion `{}`", assertion->function,
                                                        shortened(assertion->condition))});
    const std::optional<LaunchLine> line = line_of_assertion(death, assertion);
    tell_line(finding, death, line);
    finding.fixes.push_back(
        {"Check labels and indices against the number of classes; on the CPU the same code names "
         "the bad one.",
         line ? "" : "CUDA_LAUNCH_BLOCKING=1"});
    return finding;
}

std::optional<Finding> label_behind_assert(const Death& death) {
    if (!failed_with(death, assert_words)) return std::nullopt;
    const std::optional<DeviceAssertion> assertion = assertion_of(death);
    if (!assertion) return std::nullopt;
    const std::optional<OutOfRange> range = out_of_range(*assertion);
    if (!range) return std::nullopt;
    Finding finding = finding_about(
        death, "bad-label"_cause, death.sure_of_exit() ? range->confidence : Confidence::likely,
        formatted("{} met {}, on the GPU.", who(death), name_of(range->what)));
    finding.topic = Topic::device_assert;
    finding.evidence.push_back({"stderr", formatted("{}: assertion `{}`", assertion->function,
                                                    shortened(assertion->condition))});
    const std::optional<LaunchLine> line = line_of_assertion(death, assertion);
    tell_line(finding, death, line);
    if (!line) finding.where.reset();  // the line that noticed has no label
    finding.fixes.push_back(fix_of(range->what));
    return finding;
}

std::optional<Finding> cuda_illegal_access(const Death& death) {
    const std::optional<Said> said = failed_with(death, access_words);
    if (!said) return std::nullopt;
    Finding finding = fault(death, "cuda-illegal-access"_cause, *said);
    tell_line(finding, death, line_of_access(death));
    finding.fixes.push_back(
        {"Run once with every kernel waited for: the line is then the right one.",
         "CUDA_LAUNCH_BLOCKING=1"});
    return finding;
}

}  // namespace holdfast::rules
