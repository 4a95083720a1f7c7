// JSON forms of the model. The verdict's form is the contract; the evidence's form is lasting test
// data.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/evidence.h"
#include "model/verdict.h"

namespace holdfast {

std::string to_json(const Verdict& verdict);
Result<Verdict> verdict_from_json(std::string_view text);

std::string to_json(const Evidence& evidence);
Result<Evidence> evidence_from_json(std::string_view text);

}  // namespace holdfast
