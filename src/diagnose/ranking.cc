#include "diagnose/ranking.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace holdfast {
namespace {

bool names(Cause::Slugs list, CauseId cause) {
    return std::any_of(list.begin(), list.end(), [cause](std::string_view slug) {
        return slug == "*" || slug == cause->slug;
    });
}

bool is_circumstance(const Finding& finding) {
    return finding.cause->kind == Cause::Kind::circumstance;
}

bool somebody_stopped_it(const Finding& finding) {
    return finding.cause->stopped == Cause::Stopped::by_somebody;
}

bool yields(const Finding& finding, const Finding& to) {
    return names(finding.cause->yields_to, to.cause);
}

// Whether this reason leads to an end like this one.
bool explains(const Finding& why, const Finding& end) {
    if (!names(end.cause->explained_by, why.cause)) return false;
    if (end.cause == "exit-called"_cause) return why.topic == Topic::nonfinite_number;
    if (end.cause != "exception"_cause) return true;
    if (why.cause == "gpu-leak"_cause) return end.topic == Topic::gpu_memory;
    // Many things fail after a loss is NaN, for other reasons. One of the two findings must itself
    // be about a NaN.
    return why.topic == Topic::nonfinite_number || end.topic == Topic::nonfinite_number;
}

// Large data is reported only if memory ran out.
bool is_large_data(const Finding& finding) {
    return finding.topic == Topic::held_memory || !finding.cause->told_alone;
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
        // A cause that is only possible does not hide one that is known.
        const bool a_unknown = a.confidence == Confidence::unknown;
        const bool b_unknown = b.confidence == Confidence::unknown;
        if (a_unknown != b_unknown) return b_unknown;
        const int a_rank = a.cause->generality;
        const int b_rank = b.cause->generality;
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
            ranked.root.confidence = Confidence::likely;  // nobody saw that it is why
            ranked.choice = {.kind = Choice::Kind::under_pressure, .child = {}};
        } else if (i != end &&
                   !(findings[i].cause == "exception"_cause && findings[i].pid == ranked.root.pid &&
                     ranked.root.confidence == Confidence::certain)) {
            // The exception is only how the cause showed itself, and is in the evidence already.
            ranked.rest.push_back(findings[i]);
        }
    }
    if (ranked.choice.none() && findings.size() > 1 && !is_circumstance(findings[1]))
        ranked.choice = end == 0 ? why_first(findings[0], findings[1])
                                 : chosen(Choice::Kind::end_certain, ranked.end, ranked.root);
    return ranked;
}

}  // namespace

bool stopped_from_outside(const Finding& end) { return end.cause->stopped != Cause::Stopped::no; }

bool is_explanation(const Finding& finding) {
    return finding.topic == Topic::device_assert || finding.topic == Topic::others_memory ||
           finding.cause->kind == Cause::Kind::reason;
}

namespace {

// The surest first; among equals the catalogue's order, which puts a leak before large data. A
// reason that gives way to one that is as sure comes after it.
void order_reasons(std::vector<Finding>& reasons) {
    std::stable_sort(reasons.begin(), reasons.end(), [](const Finding& a, const Finding& b) {
        return a.confidence > b.confidence;
    });
    for (std::size_t i = 1; i < reasons.size(); ++i)
        if (yields(reasons.front(), reasons[i]) &&
            reasons[i].confidence == reasons.front().confidence)
            std::rotate(reasons.begin(), reasons.begin() + static_cast<std::ptrdiff_t>(i),
                        reasons.begin() + static_cast<std::ptrdiff_t>(i) + 1);
}

}  // namespace

Ranked rank(std::vector<Finding> findings) {
    const auto split = std::stable_partition(findings.begin(), findings.end(),
                                             [](const Finding& f) { return !is_explanation(f); });
    std::vector<Finding> reasons(split, findings.end());
    findings.erase(split, findings.end());
    Ranked ranked = rank_ends(std::move(findings));
    order_reasons(reasons);
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
    // A kernel that was asked to end also ends cleanly: do not report that twice.
    if (ranked.root.cause == "shut-down"_cause)
        std::erase_if(ranked.rest, [](const Finding& f) { return f.cause == "clean-exit"_cause; });
    ranked.rest.insert(ranked.rest.begin(), std::make_move_iterator(others.begin()),
                       std::make_move_iterator(others.end()));
    return ranked;
}

}  // namespace holdfast
