// For tests: every member of the model's types as a tuple. A member that is added to a type breaks
// the binding here, as a reminder to add it to the test values and to the JSON description.
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "model/evidence.h"

namespace holdfast::testing {

// clang-format off
inline auto every_field(const Where& x) { const auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
inline auto every_field(const Observation& x) { const auto& [a, b] = x; return std::tie(a, b); }
inline auto every_field(const Fix& x) { const auto& [a, b] = x; return std::tie(a, b); }
inline auto every_field(const ExitStatus& x) { const auto& [a, b] = x; return std::tie(a, b); }
inline auto every_field(const Frame& x) { const auto& [a, b, c] = x; return std::tie(a, b, c); }
inline auto every_field(const PythonStack& x) { const auto& [a, b] = x; return std::tie(a, b); }
inline auto every_field(const NativeFrame& x) { const auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
inline auto every_field(const MemorySite& x) { const auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
inline auto every_field(const CurvePoint& x) { const auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
inline auto every_field(const MemorySummary& x) { const auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
inline auto every_field(const RunSummary& x) { const auto& [a, b, c, d, e, f] = x; return std::tie(a, b, c, d, e, f); }
inline auto every_field(const DecidingProcess& x) { const auto& [a, b, c] = x; return std::tie(a, b, c); }
inline auto every_field(const Keeper& x) { const auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
inline auto every_field(const Statement& x) { const auto& [a, b, c, d, e, f, g] = x; return std::tie(a, b, c, d, e, f, g); }
inline auto every_field(const Verdict& x) { const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m); }

inline auto every_field(const Missing& x) { const auto& [a, b] = x; return std::tie(a, b); }
inline auto every_field(const ProcessLimits& x) { const auto& [a, b, c, d, e, f, g] = x; return std::tie(a, b, c, d, e, f, g); }
inline auto every_field(const ProcessEvidence& x) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, a2, b2, c2, d2] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, a2, b2, c2, d2);
}
inline auto every_field(const CgroupLevel& x) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r);
}
inline auto every_field(const OomKillMoved& x) { const auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
inline auto every_field(const CgroupEvidence& x) { const auto& [a, b, c, d, e, f, g, h, i] = x; return std::tie(a, b, c, d, e, f, g, h, i); }
inline auto every_field(const HostEvidence& x) { const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m); }
inline auto every_field(const PressureEvidence& x) { const auto& [a, b, c, d, e, f, g] = x; return std::tie(a, b, c, d, e, f, g); }
inline auto every_field(const DiskEvidence& x) { const auto& [a, b, c, d, e, f, g] = x; return std::tie(a, b, c, d, e, f, g); }
inline auto every_field(const Neighbour& x) { const auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
inline auto every_field(const MemoryHolder& x) { const auto& [a, b, c] = x; return std::tie(a, b, c); }
inline auto every_field(const KernelLogEntry& x) { const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n); }
inline auto every_field(const SignalSeen& x) { const auto& [a, b, c, d, e, f, g] = x; return std::tie(a, b, c, d, e, f, g); }
inline auto every_field(const GpuEvidence::Holder& x) { const auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
inline auto every_field(const GpuEvidence& x) { const auto& [a, b, c, d, e, f, g, h, i, j] = x; return std::tie(a, b, c, d, e, f, g, h, i, j); }
inline auto every_field(const TracebackText& x) { const auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
inline auto every_field(const SchedulerEvidence& x) { const auto& [a, b, c] = x; return std::tie(a, b, c); }
inline auto every_field(const GrowthSeen& x) { const auto& [a, b, c, d, e, f] = x; return std::tie(a, b, c, d, e, f); }
inline auto every_field(const MemoryWindow& x) { const auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
inline auto every_field(const SiteHistory& x) { const auto& [a, b, c, d, e, f, g, h, i, j, k, l] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l); }
inline auto every_field(const GpuStep& x) { const auto& [a, b, c] = x; return std::tie(a, b, c); }
inline auto every_field(const MemoryHistory& x) { const auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
inline auto every_field(const SiteEvidence& x) { const auto& [a, b, c, d, e, f, g, h, i, j] = x; return std::tie(a, b, c, d, e, f, g, h, i, j); }
inline auto every_field(const KeeperEvidence& x) { const auto& [a, b, c, d, e, f, g, h, i, j, k] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k); }
inline auto every_field(const LaunchEvidence& x) { const auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
inline auto every_field(const LaunchesEvidence& x) { const auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
inline auto every_field(const LeakEvidence& x) { const auto& [a, b, c, d, e, f] = x; return std::tie(a, b, c, d, e, f); }
inline auto every_field(const ExceptionEvidence& x) { const auto& [a, b, c, d, e, f, g] = x; return std::tie(a, b, c, d, e, f, g); }
inline auto every_field(const ExitCallEvidence& x) { const auto& [a, b, c, d] = x; return std::tie(a, b, c, d); }
inline auto every_field(const NoteEvidence& x) { const auto& [a, b, c, d, e] = x; return std::tie(a, b, c, d, e); }
inline auto every_field(const StepsEvidence& x) { const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x; return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m); }
inline auto every_field(const RefusalEvidence& x) { const auto& [a, b, c, d, e, f] = x; return std::tie(a, b, c, d, e, f); }
inline auto every_field(const GuardEvidence& x) { const auto& [a, b, c] = x; return std::tie(a, b, c); }
inline auto every_field(const AgentEvidence& x) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u);
}
inline auto every_field(const StacksEvidence& x) { const auto& [a, b, c] = x; return std::tie(a, b, c); }
inline auto every_field(const SharedLibraryUse& x) { const auto& [a, b] = x; return std::tie(a, b); }
inline auto every_field(const CrashEvidence& x) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z);
}
inline auto every_field(const WaitingThread& x) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n);
}
inline auto every_field(const StalledProcess& x) { const auto& [a, b, c] = x; return std::tie(a, b, c); }
inline auto every_field(const StallEvidence& x) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m);
}
inline auto every_field(const Evidence& x) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, a2, b2, c2, d2] = x;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, y, z, a2, b2, c2, d2);
}
// clang-format on

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

// Whether every field is equal, at any depth.
template <class T>
bool same(const T& a, const T& b) {
    if constexpr (requires { every_field(a); }) {
        return std::apply(
            [&](const auto&... left) {
                return std::apply([&](const auto&... right) { return (same(left, right) && ...); },
                                  every_field(b));
            },
            every_field(a));
    } else if constexpr (requires { a.has_value(); }) {
        return a.has_value() == b.has_value() && (!a || same(*a, *b));
    } else if constexpr (is_vector<T>) {
        bool equal = a.size() == b.size();
        for (std::size_t i = 0; equal && i < a.size(); ++i) equal = same(a[i], b[i]);
        return equal;
    } else {
        return a == b;
    }
}

// No field, at any depth, has its default value.
template <class T>
bool all_set(const T& value) {
    if constexpr (requires { every_field(value); }) {
        return std::apply([](const auto&... field) { return (all_set(field) && ...); },
                          every_field(value));
    } else if constexpr (requires { value.has_value(); }) {
        return value && all_set(*value);
    } else if constexpr (std::is_same_v<T, CauseId>) {
        return true;
    } else if constexpr (is_vector<T>) {
        bool set = !value.empty();
        for (const auto& item : value) set = set && all_set(item);
        return set;
    } else {
        return !(value == T{});
    }
}

}  // namespace holdfast::testing
