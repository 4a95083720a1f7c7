// What the rules about exceptions and telling words have seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "diagnose/finding.h"
#include "diagnose/text/exception_text.h"
#include "diagnose/text/last_text.h"
#include "model/evidence.h"

namespace holdfast::facts {

struct NonfiniteFound {
    ExceptionSaid said;
};

// A variable was no finite number where a check of the program's own failed.
struct NonfiniteVariable {
    std::string name, value;
    std::string line, source;  // of the exception
};

struct NonfiniteLoss {
    const AgentEvidence* agent = nullptr;
    std::uint64_t after = 0;  // steps that followed
};

// The last validation measured no number, while every step had one.
struct NonfiniteValidation {
    std::int64_t epoch = 0;
    std::string measured;  // "val_loss nan"
};

struct BadLabel {
    ExceptionSaid said;
    std::optional<long> index;
    std::optional<long> size;  // what is allowed is 0 to size - 1
};

struct ShapeMismatch {
    ExceptionSaid said;
};

struct BadInput {
    ExceptionSaid said;
};

struct CheckpointCorrupt {
    ExceptionSaid said;
};

struct LoaderTimeout {
    ExceptionSaid said;
};

struct Telling {
    Said said;
    std::string_view fix, code;  // as the table has them
};

void tell(const NonfiniteFound& facts, const Autopsy& death, Account& account);
void tell(const NonfiniteVariable& facts, const Autopsy& death, Account& account);
void tell(const NonfiniteLoss& facts, const Autopsy& death, Account& account);
void tell(const NonfiniteValidation& facts, const Autopsy& death, Account& account);
void tell(const BadLabel& facts, const Autopsy& death, Account& account);
void tell(const ShapeMismatch& facts, const Autopsy& death, Account& account);
void tell(const BadInput& facts, const Autopsy& death, Account& account);
void tell(const CheckpointCorrupt& facts, const Autopsy& death, Account& account);
void tell(const LoaderTimeout& facts, const Autopsy& death, Account& account);
void tell(const Telling& facts, const Autopsy& death, Account& account);

}  // namespace holdfast::facts
