#include "diagnose/ranking.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast {
namespace {

// From specific to general. What is not listed stands before the general ones: it has a text or a
// mark of its own.
constexpr std::array general{
    "oom-victim"_cause,       "userspace-oom"_cause,
    "cgroup-oom"_cause,       "host-oom"_cause,
    "heap-corruption"_cause,  "fatal-python-error"_cause,
    "alloc-refused"_cause,    "disk-full-mapping"_cause,
    "segfault"_cause,         "illegal-instruction"_cause,
    "native-abort"_cause,     "arithmetic-trap"_cause,
    "mapped-file-gone"_cause, "preempted"_cause,
    "interrupted"_cause,      "hangup"_cause,
    "killed"_cause,           "exception"_cause,
    "exit-called"_cause,      "unknown-kill"_cause,
    "clean-exit"_cause,
};

std::size_t generality(CauseId cause) {
    const auto* at = std::find(general.begin(), general.end(), cause);
    return at == general.end() ? 0 : static_cast<std::size_t>(at - general.begin()) + 1;
}

// Stalls come before an end; they are its cause only where somebody lost patience.
bool is_circumstance(const Finding& finding) { return finding.cause == "swap-thrash"_cause; }

bool somebody_stopped_it(const Finding& finding) {
    for (const CauseId cause : {"killed"_cause, "interrupted"_cause, "preempted"_cause})
        if (finding.cause == cause) return true;
    return false;
}

// An exception is the catalogue's "none of the above": what is merely likely still replaces it. And
// a program that was asked to stop chooses its exit status because of that.
bool yields(const Finding& finding, const Finding& to) {
    if (finding.cause == "exception"_cause) return true;
    return finding.cause == "exit-called"_cause &&
           (somebody_stopped_it(to) || to.cause == "hangup"_cause ||
            to.cause == "userspace-oom"_cause);
}

std::string why_first(const Finding& first, const Finding& second) {
    if (first.confidence == Confidence::certain && second.confidence != Confidence::certain)
        return fmt::format("{} has decisive evidence, {} has not.", first.cause->slug,
                           second.cause->slug);
    return fmt::format("{} explains {}: it is the more specific of the two.", first.cause->slug,
                       second.cause->slug);
}

}  // namespace

Ranked rank(std::vector<Finding> findings) {
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
        if (is_circumstance(a) != is_circumstance(b)) return is_circumstance(b);
        // One that only may be so does not hide one that is known.
        const bool a_unknown = a.confidence == Confidence::unknown;
        const bool b_unknown = b.confidence == Confidence::unknown;
        if (a_unknown != b_unknown) return b_unknown;
        const std::size_t a_rank = generality(a.cause);
        const std::size_t b_rank = generality(b.cause);
        const bool both_own_text = a_rank == 0 && b_rank == 0;
        if (both_own_text && a.confidence != b.confidence) return a.confidence > b.confidence;
        return a_rank < b_rank;
    });
    Ranked ranked{findings.front(), findings.front(), {}, {}};
    std::size_t end = 0;
    if (findings.front().confidence != Confidence::certain) {
        for (std::size_t i = 1; i < findings.size(); ++i) {
            if (findings[i].confidence != Confidence::certain ||
                yields(findings[i], findings.front()) || is_circumstance(findings[i]))
                continue;
            end = i;
            ranked.end = findings[i];
            break;
        }
    }
    for (std::size_t i = 1; i < findings.size(); ++i) {
        if (is_circumstance(findings[i]) && somebody_stopped_it(ranked.root) &&
            findings[i].confidence == Confidence::certain && end == 0) {
            ranked.root = findings[i];
            ranked.root.confidence = Confidence::likely;  // that this is why is not seen
            ranked.choice = "It was stopped from outside while memory pressure had stalled it.";
        } else if (i != end &&
                   !(findings[i].cause == "exception"_cause && findings[i].pid == ranked.root.pid &&
                     ranked.root.confidence == Confidence::certain)) {
            // The exception is how the cause showed itself; it stands in the evidence already.
            ranked.rest.push_back(findings[i]);
        }
    }
    if (ranked.choice.empty() && findings.size() > 1 && !is_circumstance(findings[1]))
        ranked.choice = end == 0 ? why_first(findings[0], findings[1])
                                 : fmt::format("How it ended ({}) is certain; why ({}) is not.",
                                               ranked.end.cause->slug, ranked.root.cause->slug);
    return ranked;
}

}  // namespace holdfast
