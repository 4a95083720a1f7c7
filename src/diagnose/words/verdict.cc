#include "diagnose/words/verdict.h"

#include <algorithm>
#include <utility>

#include "base/format.h"
#include "diagnose/words/phrases.h"
#include "diagnose/words/waiting.h"

namespace holdfast {
namespace {

std::string spelled(const Choice& choice) {
    const std::string_view first = choice.first->slug;
    const std::string_view second = choice.second->slug;
    switch (choice.kind) {
    case Choice::Kind::none: return {};
    case Choice::Kind::decisive:
        return formatted("{} has decisive evidence, {} does not.", first, second);
    case Choice::Kind::more_specific:
        return formatted("{} explains {}: it is the more specific of the two.", first, second);
    case Choice::Kind::end_certain:
        return formatted("How it ended ({}) is certain; why ({}) is not.", first, second);
    case Choice::Kind::came_to_that:
        return formatted("{} is how it ended; {} is why.", first, second);
    case Choice::Kind::under_pressure:
        return "It was stopped from outside while memory pressure stalled it.";
    case Choice::Kind::child_first:
        return formatted("{} ended first, and its parent failed because of it.",
                         who(*choice.child));
    case Choice::Kind::stood_still:
        return formatted("It was stopped from outside after it had been stuck for {}.",
                         human(choice.lasted));
    case Choice::Kind::after_refusal:
        return formatted("It was stuck for {} after the refusal, and was then ended.",
                         human(choice.lasted));
    }
    return {};
}

// The root's fixes come first. Drops repeated fixes, and all after the third.
void keep_best_fixes(Verdict& verdict) {
    constexpr std::size_t most = 3;
    std::vector<Fix> kept;
    const auto keep = [&kept](std::vector<Fix>& fixes) {
        std::vector<Fix> own;
        for (Fix& fix : fixes) {
            const bool said = std::any_of(kept.begin(), kept.end(), [&fix](const Fix& other) {
                return other.text == fix.text || (!fix.code.empty() && other.code == fix.code);
            });
            if (said || kept.size() == most) continue;
            kept.push_back(fix);
            own.push_back(std::move(fix));
        }
        fixes = std::move(own);
    };
    keep(verdict.root.fixes);
    if (verdict.root.cause == verdict.end.cause)
        verdict.end.fixes = verdict.root.fixes;
    else
        keep(verdict.end.fixes);
}

}  // namespace

Account account_of(const Finding& finding) {
    Account account;
    if (finding.facts != nullptr && finding.death != nullptr)
        finding.facts->say(*finding.death, account);
    return account;
}

Statement stated(const Finding& finding) {
    Account account = account_of(finding);
    return {.cause = finding.cause,
            .confidence = finding.confidence,
            .summary = std::move(account.summary),
            .where = finding.where,
            .evidence = std::move(account.evidence),
            .fixes = std::move(account.fixes),
            .keeper = finding.keeper};
}

Verdict in_words(const Judgement& judgement, const Autopsy& death) {
    Verdict verdict;
    verdict.run = death.all.run;
    verdict.outcome = judgement.outcome;
    verdict.exit = death.all.exit;
    verdict.process = judgement.process;
    verdict.end = stated(judgement.end);
    verdict.root = stated(judgement.root);
    verdict.choice = spelled(judgement.choice);
    for (const Finding& finding : judgement.contributing)
        verdict.contributing.push_back(stated(finding));
    verdict.python_stack =
        judgement.stand ? stall_stacks(death, *judgement.stand) : judgement.python_stack;
    verdict.native_stack = judgement.native_stack;
    verdict.memory = death.all.memory;
    keep_best_fixes(verdict);
    return verdict;
}

}  // namespace holdfast
