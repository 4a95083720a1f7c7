// Every line of every process that ever held memory, as JSON, for `%%memory`.
#pragma once

#include <string>

#include "record/run_record.h"

namespace holdfast::cli {

// Unlike the evidence it leaves nothing out: not what is small, nor what has been given back.
std::string site_list(const RunRecord& record);

}  // namespace holdfast::cli
