// A check looks at an Environment and says what it found, that all is well, or that it could not
// look. Pure: the same environment gives the same answer, on any machine.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/environment.h"
#include "model/check_report.h"

namespace holdfast::check {

class CheckResult {
public:
    void find(Severity severity, CauseId cause, std::string summary,
              std::vector<Observation> evidence, std::vector<Fix> fixes) {
        findings_.push_back(
            {cause, severity, {}, std::move(summary), std::move(evidence), std::move(fixes)});
    }
    // What the check needs was missing.
    void impossible(std::string why) { why_not_ = std::move(why); }

    std::vector<CheckFinding>& findings() { return findings_; }
    const std::string& why_not() const { return why_not_; }

private:
    std::vector<CheckFinding> findings_;
    std::string why_not_;
};

struct CheckRule {
    std::string_view name;
    void (*judge)(const Environment&, CheckResult&);
    // `holdfast run` makes this check, too, while the program starts.
    bool cheap = false;
};

// All checks, in the order of their documentation.
std::span<const CheckRule> all_checks();

enum class CheckExtent { all, cheap };

CheckReport judge(const Environment& environment, CheckExtent extent = CheckExtent::all);

}  // namespace holdfast::check
