// Where `fit` gets its captures from: files that were saved earlier, or a Python process.
#pragma once

#include <string>
#include <vector>

#include "base/child.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "fit/plan/planner.h"

namespace holdfast::cli {

// Captures that were saved earlier, one file per batch size.
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

// Asks a Python process for captures: one line of JSON each way, over two pipes of its own, because
// the captured program may use stdin and stdout.
class CaptureProcess : public fit::CaptureSource {
public:
    // Starts `python -m holdfast.planner arguments...`.
    static Result<CaptureProcess> start(const std::string& python,
                                        const std::vector<std::string>& arguments,
                                        const fit::DeviceProfile& device);
    // The process already runs: holdfast.fit() in the user's own Python.
    static CaptureProcess over(UniqueFd requests, UniqueFd answers,
                               const fit::DeviceProfile& device);

    CaptureProcess(CaptureProcess&&) noexcept = default;
    CaptureProcess& operator=(CaptureProcess&&) = delete;
    ~CaptureProcess() override;

    Result<fit::Capture> capture(std::uint64_t batch, const std::string& way) override;
    bool any_batch() const override { return any_batch_; }

private:
    CaptureProcess(Child child, UniqueFd requests, UniqueFd answers,
                   const fit::DeviceProfile& device)
        : child_(std::move(child)),
          requests_(std::move(requests)),
          answers_(std::move(answers)),
          device_(device) {}

    Result<std::string> ask(const std::string& line);

    Child child_;
    UniqueFd requests_;
    UniqueFd answers_;
    fit::DeviceProfile device_;
    std::string unread_;
    bool any_batch_ = true;
};

// Runs a command with this process's own streams, waits for its end, and returns its exit status.
int run_python(std::vector<std::string> words);

}  // namespace holdfast::cli
