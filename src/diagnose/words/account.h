// The text of one finding: a sentence, its evidence, and what to do about it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "diagnose/autopsy.h"
#include "model/statement.h"

namespace holdfast {

struct Account {
    std::string summary;
    std::vector<Observation> evidence{};
    std::vector<Fix> fixes{};

    void saw(std::string source, std::string text) {
        evidence.push_back({std::move(source), std::move(text)});
    }
    void advise(std::string text, std::string code = {}) {
        fixes.push_back({std::move(text), std::move(code)});
    }
    void advise(Fix fix) { fixes.push_back(std::move(fix)); }
    void advise(std::vector<Fix> more) {
        for (Fix& fix : more) fixes.push_back(std::move(fix));
    }
};

// Starts with the exit status as evidence.
Account account_of(const Autopsy& death, std::string summary);

}  // namespace holdfast
