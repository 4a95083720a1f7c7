#include "base/time.h"

#include <ctime>

#include "base/format.h"

namespace holdfast {
namespace {

Nanos read_clock(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return std::chrono::seconds(now.tv_sec) + Nanos(now.tv_nsec);
}

}  // namespace

Nanos monotonic_now() { return read_clock(CLOCK_MONOTONIC); }
Nanos wall_now() { return read_clock(CLOCK_REALTIME); }
Nanos own_cpu_now() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

std::string rfc3339(Nanos wall) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(wall);
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(wall - whole).count();
    const std::time_t stamp = whole.count();
    std::tm utc{};
    if (gmtime_r(&stamp, &utc) == nullptr) return "unknown";  // a year beyond int, from a bad file
    return formatted("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, millis);
}

std::string human(Nanos duration) {
    const double s = seconds(duration);
    if (s < 0.9995) return formatted("{:.0f} ms", s * 1000);
    if (s < 99.95) return formatted("{:.1f} s", s);
    const auto whole = static_cast<std::int64_t>(s);
    if (whole < 3600) return formatted("{} min {:02} s", whole / 60, whole % 60);
    return formatted("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace holdfast
