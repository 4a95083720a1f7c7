// What `holdfast check` says: findings about a machine and an environment, before anything runs.
// Its JSON form is a contract (schema 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/statement.h"

namespace holdfast {

inline constexpr std::uint64_t check_schema = 1;

enum class Severity { blocks, will_hurt, note };

struct CheckFinding {
    CauseId cause;
    Severity severity = Severity::note;
    std::string check;    // the check's name
    std::string summary;  // one sentence with the figures
    std::vector<Observation> evidence;
    std::vector<Fix> fixes;
};

struct ImpossibleCheck {
    std::string check, why;
};

// The environment that was checked: a user who forgot to activate one must see it.
struct JudgedPython {
    std::string program;                  // empty: none was found
    std::string version;                  // "3.11"; may be empty
    std::vector<std::string> frameworks;  // "torch 2.9.0"
};

struct CheckReport {
    JudgedPython python;
    std::vector<CheckFinding> findings;  // worst first
    int fine = 0;
    std::vector<ImpossibleCheck> impossible;
    std::optional<double> milliseconds;  // wall time that the check took

    bool blocks() const {
        return !findings.empty() && findings.front().severity == Severity::blocks;
    }
};

std::string_view name_of(Severity severity);  // "blocks", "will-hurt", "note"

std::string to_json(const CheckReport& report);
// Leaves out findings whose cause this version does not know.
Result<CheckReport> check_report_from_json(std::string_view text);

}  // namespace holdfast
