#include "check/foretold.h"

#include <algorithm>

namespace holdfast::check {
namespace {

bool is_quoted(CauseId cause) {
    return cause->code.starts_with("HF4") || cause->code.starts_with("HF5") ||
           cause->code == "HF113";
}

void quote(Statement& statement, const CheckFinding& found) {
    if (statement.cause == found.cause && is_quoted(found.cause))
        statement.evidence.push_back({"foretold by check", found.summary});
}

}  // namespace

void add_foretold(Verdict& verdict, const CheckReport& report) {
    for (const CheckFinding& found : report.findings) {
        if (found.severity == Severity::note) continue;
        const std::string code(found.cause->code);
        if (std::find(verdict.foretold.begin(), verdict.foretold.end(), code) ==
            verdict.foretold.end())
            verdict.foretold.push_back(code);
        if (verdict.outcome == Outcome::finished || verdict.outcome == Outcome::running) continue;
        quote(verdict.end, found);
        quote(verdict.root, found);
    }
}

}  // namespace holdfast::check
