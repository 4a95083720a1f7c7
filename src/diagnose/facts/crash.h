// What the rules about crashes and aborts have seen. The crash record, the kernel's line and
// faulthandler's dump are part of the death; this is what a rule concluded from them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnose/finding.h"
#include "diagnose/text/last_text.h"
#include "model/evidence.h"

namespace holdfast::facts {

enum class Fault {
    bad_access,
    null_pointer,
    raised_itself,
    unknown_instruction,
    instruction_or_trap,
    deliberate_trap,
    bad_division,
};

// HF301, HF306 and HF308.
struct CpuFault {
    Fault fault{};
    bool decided = false;
};

struct StackOverflow {
    bool repeats = false;  // the same frames: recursion
};

struct NativeRace {
    const SharedLibraryUse* use = nullptr;
};

struct RamErrors {};

struct DiskFullMapping {
    const DiskEvidence* disk = nullptr;
};

struct MappedFileGone {
    bool page_lost = false;  // from the signal's code
};

struct HeapCorruption {
    std::optional<Said> said;
};

struct NativeAbort {
    std::optional<Said> said;
};

struct FatalPython {
    std::string headline;
};

struct AllocatorClash {
    std::vector<std::string> loaded;
};

struct RuntimeClash {
    std::vector<std::string> loaded;
    const NativeFrame* inside = nullptr;
};

void tell(const CpuFault& facts, const Autopsy& death, Account& account);
void tell(const StackOverflow& facts, const Autopsy& death, Account& account);
void tell(const NativeRace& facts, const Autopsy& death, Account& account);
void tell(const RamErrors& facts, const Autopsy& death, Account& account);
void tell(const DiskFullMapping& facts, const Autopsy& death, Account& account);
void tell(const MappedFileGone& facts, const Autopsy& death, Account& account);
void tell(const HeapCorruption& facts, const Autopsy& death, Account& account);
void tell(const NativeAbort& facts, const Autopsy& death, Account& account);
void tell(const FatalPython& facts, const Autopsy& death, Account& account);
void tell(const AllocatorClash& facts, const Autopsy& death, Account& account);
void tell(const RuntimeClash& facts, const Autopsy& death, Account& account);

}  // namespace holdfast::facts
