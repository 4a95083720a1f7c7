// HF601: a loss that was recorded stopped being a finite number.
#include <fmt/format.h>

#include <algorithm>

#include "diagnose/inside.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {

std::optional<Finding> nan_loss(const Death& death) {
    const AgentEvidence* agent = agent_of(death);
    if (agent == nullptr || !agent->steps.first_nonfinite) return std::nullopt;
    const StepsEvidence& steps = agent->steps;
    const std::uint64_t after = steps.count - std::min(steps.count, *steps.first_nonfinite);
    Finding finding = finding_about(
        death, "nan-loss"_cause, Confidence::certain,
        fmt::format("The loss of step {} was not a finite number; {} steps followed it.",
                    *steps.first_nonfinite, after));
    finding.evidence = {{"first loss not finite", fmt::format("step {}", *steps.first_nonfinite)},
                        {"steps", fmt::format("{}, counted by {}", steps.count, steps.source)}};
    if (steps.last_finite_loss)
        finding.evidence.push_back(
            {"last finite loss", fmt::format("{:.4g}", *steps.last_finite_loss)});
    finding.fixes.push_back({"Lower the learning rate, or cut the gradients.",
                             "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)"});
    finding.fixes.push_back(
        {"See which operation makes the first one.", "torch.autograd.set_detect_anomaly(True)"});
    return finding;
}

}  // namespace holdfast::rules
