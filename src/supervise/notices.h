// Notices to the user while the program runs: that it is stuck, that its loss is not finite, that a
// leak will fill the memory.
#pragma once

#include <vector>

#include "base/child.h"
#include "record/box_writer.h"
#include "supervise/bystander.h"
#include "supervise/cadence.h"
#include "supervise/observer.h"
#include "supervise/run_options.h"

namespace holdfast {

class Notices {
public:
    // Directory and output may be null. The arguments must outlive this.
    Notices(const RunOptions& options, const RunDirectory* directory, const OutputBox* output,
            Observer& observer, Errands& errands)
        : options_(&options),
          directory_(directory),
          output_(output),
          observer_(&observer),
          errands_(&errands) {}

    // At every look of the supervisor.
    void look(Nanos now, const std::vector<CgroupAddress>& cgroups);
    void tell_of_stall(const StallNews& news);

private:
    void tell_of_worthless_steps();
    void look_for_leak(Nanos now, const std::vector<CgroupAddress>& cgroups);
    bool mid_line() const;
    void leave_to(Child teller);

    const RunOptions* options_;
    const RunDirectory* directory_;
    const OutputBox* output_;
    Observer* observer_;
    Errands* errands_;
    FillForecast forecast_;
    Nanos next_leak_look_{};
    bool told_of_worthless_steps_ = false;
};

}  // namespace holdfast
