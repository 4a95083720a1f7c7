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

// A variable was not finite when a check in the program failed, or when the program exited.
struct NonfiniteVariable {
    std::string name, value;
    std::string line, source;  // of the exception; empty: it called sys.exit
};

struct NonfiniteLoss {
    const AgentEvidence* agent = nullptr;
    std::uint64_t after = 0;  // steps that followed
};

// The last validation measured NaN or infinity, although no step is known that did.
struct NonfiniteValidation {
    std::int64_t epoch = 0;
    std::string measured;  // "val_loss nan"
};

struct BadLabel {
    ExceptionSaid said;
    std::optional<long> index;
    std::optional<long> size;  // the allowed values are 0 to size - 1
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
    std::string_view fix, code;  // as knowledge/ has them
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
