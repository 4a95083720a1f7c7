// What the rules about limits, disks and files have seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "diagnose/finding.h"
#include "diagnose/text/last_text.h"
#include "model/evidence.h"

namespace holdfast::facts {

struct ThreadLimit {
    // Which limit was reached, and what shows it.
    struct Count {
        std::uint64_t limit = 0;
        const CgroupLevel* level = nullptr;  // pids.max there; null: ulimit -u
        bool refused = false;                // the level counted a refusal
        std::uint64_t ours = 0;              // threads in this run
    };
    Said said;
    std::optional<Count> count;
};

struct FdLimit {
    std::optional<Said> said;                  // nothing: the program said something else
    const ProcessEvidence* process = nullptr;  // the process nearest to its limit, if one is near
};

struct CpuTimeLimit {
    std::optional<std::uint64_t> seconds;
};

struct FileSizeLimit {
    std::optional<Said> said;
};

struct DiskFull {
    Said said;
    const DiskEvidence* disk = nullptr;
    std::string path;  // as the error names it; may be empty
};

struct DiskErrors {
    Said said;
    const KernelLogEntry* entry = nullptr;
};

void tell(const ThreadLimit& facts, const Autopsy& death, Account& account);
void tell(const FdLimit& facts, const Autopsy& death, Account& account);
void tell(const CpuTimeLimit& facts, const Autopsy& death, Account& account);
void tell(const FileSizeLimit& facts, const Autopsy& death, Account& account);
void tell(const DiskFull& facts, const Autopsy& death, Account& account);
void tell(const DiskErrors& facts, const Autopsy& death, Account& account);

}  // namespace holdfast::facts
