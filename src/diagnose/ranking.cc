#include "diagnose/ranking.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>

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

bool one_of(CauseId cause, std::initializer_list<CauseId> causes) {
    return std::find(causes.begin(), causes.end(), cause) != causes.end();
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
    // An uncaught std::bad_alloc aborts; that is how the refusal showed itself.
    if (finding.cause == "native-abort"_cause)
        return one_of(to.cause,
                      {"alloc-refused"_cause, "address-limit"_cause, "overcommit-limit"_cause,
                       "map-count"_cause, "thread-limit"_cause});
    return finding.cause == "exit-called"_cause &&
           (somebody_stopped_it(to) || to.cause == "hangup"_cause ||
            to.cause == "userspace-oom"_cause);
}

// Whether what is known before the end leads to an end like this one.
bool explains(const Finding& why, const Finding& end) {
    const bool out_of_memory =
        one_of(end.cause, {"cgroup-oom"_cause, "host-oom"_cause, "worker-oom"_cause,
                           "alloc-refused"_cause, "address-limit"_cause, "overcommit-limit"_cause,
                           "userspace-oom"_cause, "guard-refused"_cause});
    // A ulimit is far below what the machine has: data that does not fit below it is not too large.
    if (why.cause == "dataset-in-ram"_cause && end.cause == "address-limit"_cause) return false;
    if (one_of(why.cause, {"host-leak"_cause, "dataset-in-ram"_cause, "worker-copies"_cause}))
        return out_of_memory;
    if (why.topic == Topic::device_assert) return end.cause == "cuda-assert"_cause;
    const bool exception = end.cause == "exception"_cause;
    if (why.cause == "gpu-leak"_cause)
        return one_of(end.cause, {"cuda-oom"_cause, "cuda-fragmentation"_cause}) ||
               (exception && end.topic == Topic::gpu_memory);
    // Many things fail after a loss is no number; only an exception about it ties the two together,
    // be it the one that found the number or another.
    return why.cause == "nan-loss"_cause && exception &&
           (why.topic == Topic::nonfinite_number || end.topic == Topic::nonfinite_number);
}

// Much data is no news but where memory ran out.
bool is_large_data(const Finding& finding) {
    return finding.topic == Topic::held_memory ||
           one_of(finding.cause, {"dataset-in-ram"_cause, "worker-copies"_cause});
}

Choice chosen(Choice::Kind kind, const Finding& first, const Finding& second) {
    return {.kind = kind, .first = first.cause, .second = second.cause, .child = {}};
}

Choice why_first(const Finding& first, const Finding& second) {
    const bool decisive =
        first.confidence == Confidence::certain && second.confidence != Confidence::certain;
    return chosen(decisive ? Choice::Kind::decisive : Choice::Kind::more_specific, first, second);
}

}  // namespace

namespace {

Ranked rank_ends(std::vector<Finding> findings) {
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
    Ranked ranked{findings.front(), findings.front()};
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
            ranked.choice = {.kind = Choice::Kind::under_pressure, .child = {}};
        } else if (i != end &&
                   !(findings[i].cause == "exception"_cause && findings[i].pid == ranked.root.pid &&
                     ranked.root.confidence == Confidence::certain)) {
            // The exception is how the cause showed itself; it stands in the evidence already.
            ranked.rest.push_back(findings[i]);
        }
    }
    if (ranked.choice.none() && findings.size() > 1 && !is_circumstance(findings[1]))
        ranked.choice = end == 0 ? why_first(findings[0], findings[1])
                                 : chosen(Choice::Kind::end_certain, ranked.end, ranked.root);
    return ranked;
}

}  // namespace

bool stopped_from_outside(const Finding& end) {
    return somebody_stopped_it(end) ||
           one_of(end.cause, {"hangup"_cause, "unknown-kill"_cause, "shut-down"_cause});
}

bool is_explanation(const Finding& finding) {
    if (finding.topic == Topic::device_assert) return true;
    return one_of(finding.cause, {"host-leak"_cause, "dataset-in-ram"_cause, "worker-copies"_cause,
                                  "gpu-leak"_cause, "nan-loss"_cause, "gpu-throttled"_cause});
}

Ranked rank(std::vector<Finding> findings) {
    const auto split = std::stable_partition(findings.begin(), findings.end(),
                                             [](const Finding& f) { return !is_explanation(f); });
    std::vector<Finding> reasons(split, findings.end());
    findings.erase(split, findings.end());
    Ranked ranked = rank_ends(std::move(findings));
    // The surest first; among equals the catalogue's order, which puts a leak before large data.
    std::stable_sort(reasons.begin(), reasons.end(), [](const Finding& a, const Finding& b) {
        return a.confidence > b.confidence;
    });
    bool explained = false;
    std::vector<Finding> others;
    for (Finding& reason : reasons) {
        const bool fits = explains(reason, explained ? ranked.end : ranked.root);
        if (!fits && is_large_data(reason)) continue;
        if (!explained && fits) {
            explained = true;
            ranked.choice = chosen(Choice::Kind::came_to_that, ranked.root, reason);
            ranked.end = std::move(ranked.root);
            ranked.root = std::move(reason);
        } else {
            others.push_back(std::move(reason));
        }
    }
    // A kernel that was asked to end has finished as well; that is no news.
    if (ranked.root.cause == "shut-down"_cause)
        std::erase_if(ranked.rest, [](const Finding& f) { return f.cause == "clean-exit"_cause; });
    ranked.rest.insert(ranked.rest.begin(), std::make_move_iterator(others.begin()),
                       std::make_move_iterator(others.end()));
    return ranked;
}

}  // namespace holdfast
