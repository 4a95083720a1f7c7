// Captures that were saved earlier, one file per batch size.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "fit/plan/planner.h"

namespace holdfast::cli {

class CaptureFiles : public fit::CaptureSource {
public:
    static Result<CaptureFiles> open(const std::vector<std::string>& paths);

    Result<fit::Capture> capture(std::uint64_t batch, const std::string& way) override;
    bool any_batch() const override { return captures_.size() > 1; }
    const std::vector<fit::Capture>& all() const { return captures_; }
    std::uint64_t first_batch() const { return captures_.front().batch; }

private:
    std::vector<fit::Capture> captures_;
};

}  // namespace holdfast::cli
