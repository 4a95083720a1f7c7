// What the sentry writes into the machine box when the supervisor is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/result.h"
#include "base/time.h"

namespace holdfast {

enum class LossReason : std::uint32_t { killed = 1, crashed = 2, oom_killer = 3 };

class LossRecord {
public:
    // Maps a machine box of this program's own version. Stays mapped: the sentry exits soon after.
    static std::optional<LossRecord> open(int box);

    // Whether the supervisor wrote the end itself, and was lost only after that.
    bool has_end() const;
    void supervisor_lost(Nanos now, LossReason reason, bool passed_on);
    // Stores the end as incomplete, because nobody looked at the machine then.
    void program_ended(Nanos now, Nanos now_wall, std::optional<int> wait_status);

private:
    explicit LossRecord(std::byte* box) : box_(box) {}

    std::byte* box_;
};

}  // namespace holdfast
