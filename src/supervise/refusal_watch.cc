#include "supervise/refusal_watch.h"

namespace holdfast {
namespace {

// The error wanders for a while before all others wait; one of long before was dealt with.
constexpr Nanos long_before = std::chrono::seconds(15);
// CPU time is measured about once a second.
constexpr Nanos unmeasured = std::chrono::seconds(2);

}  // namespace

bool RefusalWatch::on_stall(Nanos now, const StallNews& news, std::optional<Nanos> refused) {
    stuck_.reset();
    if (news.what != StallNews::What::stuck || !refused) return false;
    const Nanos since = now - news.lasted;
    if (*refused > since + unmeasured || since - *refused > long_before) return false;
    stuck_ = now;
    return true;
}

bool RefusalWatch::should_end(Nanos now, std::optional<Nanos> grace) {
    if (!stuck_ || !grace || ended_ || now - *stuck_ < *grace) return false;
    ended_ = true;
    return true;
}

}  // namespace holdfast
