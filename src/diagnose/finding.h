// What a rule found: a cause, how sure it is, and the facts. There is no text here: words/ makes
// sentences from the facts at the end.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "base/confidence.h"
#include "model/cause.h"
#include "model/statement.h"

namespace holdfast {

// What a finding is about, for ranking: the topic of an uncaught exception ties it to a cause found
// elsewhere, held memory is reported only if memory ran out, and a failed assertion on the GPU is a
// reason and not an end.
enum class Topic {
    none,
    nonfinite_number,
    gpu_memory,
    held_memory,
    device_assert,
    others_memory,  // a neighbour holds it, and something was refused because of that
};

struct Account;
struct Autopsy;

// What one rule saw, in types of its own (facts/). Only words/ makes text from it.
class Facts {
public:
    Facts() = default;
    Facts(const Facts&) = delete;
    Facts& operator=(const Facts&) = delete;
    virtual ~Facts() = default;
    virtual void say(const Autopsy& death, Account& account) const = 0;
};

// Holds one of the types of facts/, for which words/ defines a tell() of its own.
template <class F>
class FactsOf final : public Facts {
public:
    explicit FactsOf(F facts) : facts_(std::move(facts)) {}
    void say(const Autopsy& death, Account& account) const override {
        tell(facts_, death, account);
    }

private:
    F facts_;
};

struct Finding {
    CauseId cause = "clean-exit"_cause;
    Confidence confidence = Confidence::unknown;
    std::optional<Where> where;
    // The process whose end this finding explains; ranking puts an earlier end before a later one.
    std::optional<int> pid;
    Topic topic = Topic::none;
    std::optional<Keeper> keeper;
    std::shared_ptr<const Autopsy> death;
    std::shared_ptr<const Facts> facts;
};

template <class F>
std::shared_ptr<const Facts> facts_of(F facts) {
    return std::make_shared<const FactsOf<F>>(std::move(facts));
}

// Also sets the place in the user's code where this process died.
Finding finding_about(const Autopsy& death, CauseId cause, Confidence confidence,
                      std::shared_ptr<const Facts> facts);

template <class F>
Finding finding_about(const Autopsy& death, CauseId cause, Confidence confidence, F facts) {
    return finding_about(death, cause, confidence, facts_of(std::move(facts)));
}

// Lowers a confidence, never raises it.
Confidence at_most(Confidence confidence, Confidence bound);

}  // namespace holdfast
