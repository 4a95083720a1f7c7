// Arithmetic on times from a file, which may be any number, without overflow.
#pragma once

#include "base/time.h"

namespace holdfast {

constexpr Nanos later(Nanos time, Nanos by) {
    return time > Nanos::max() - by ? Nanos::max() : time + by;  // `by` is never negative
}
constexpr Nanos earlier(Nanos time, Nanos by) {
    return time < Nanos::min() + by ? Nanos::min() : time - by;
}

// How long from one time to a later one; nothing if the second is earlier.
constexpr Nanos between(Nanos from, Nanos to) {
    if (from >= to) return Nanos{};
    return from < Nanos{} && to > Nanos::max() + from ? Nanos::max() : to - from;
}

}  // namespace holdfast
