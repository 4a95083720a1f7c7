// Watches the GPUs from a separate process: opening the driver takes up to a second, and once a GPU
// has fallen off the bus every call into the driver may hang for good.
#pragma once

#include <memory>

#include "base/child.h"
#include "base/result.h"
#include "record/box_writer.h"

namespace holdfast {

class GpuWatch {
public:
    // Nothing (not an error) on a machine without the NVIDIA driver.
    static Result<std::unique_ptr<GpuWatch>> start(const RunDirectory* directory,
                                                   const BoxOrigin& origin);
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    pid_t pid() const { return child_.pid(); }
    int box_fd() const { return box_.fd(); }

private:
    explicit GpuWatch(GpuBox box) : box_(std::move(box)) {}
    GpuBox box_;
    Child child_;
};

}  // namespace holdfast
