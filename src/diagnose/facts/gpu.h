// What the rules about GPUs have seen: refused memory, failed kernels, failed cards.
#pragma once

#include <cstdint>
#include <optional>

#include "diagnose/death/launch_line.h"
#include "diagnose/finding.h"
#include "diagnose/oom/gpu_refusal.h"
#include "diagnose/text/device_assertion.h"
#include "diagnose/text/last_text.h"
#include "model/evidence.h"

namespace holdfast::facts {

struct GpuRefused {
    GpuRefusal figures;
    Said said;
};
struct CudaOom : GpuRefused {};
struct CudaFragmentation : GpuRefused {};
struct GpuOccupied : GpuRefused {
    Bytes others;
    const GpuEvidence::Holder* stranger =
        nullptr;  // who holds most of it, where the driver names them
};
// Another framework in the same process had taken the memory.
struct GpuTakenBeside : GpuRefused {
    Bytes beside;
};
// A framework's own library (cuDNN, cuBLAS) found no memory left.
struct GpuTakenInAdvance {
    Said said;
    const GpuEvidence* gpu = nullptr;
    const GpuEvidence::Holder* holder = nullptr;
};

// The line that launched the kernel, and the line that only noticed the failure.
struct FaultPlace {
    std::optional<Where> noticed;
    std::optional<LaunchLine> line;
};
struct CudaAssert {
    Said said;
    std::optional<DeviceAssertion> assertion;
    FaultPlace place;
};
struct CudaIllegalAccess {
    Said said;
    FaultPlace place;
};
struct LabelOnGpu {
    OutOfRange::What what = OutOfRange::What::index;
    DeviceAssertion assertion;
    FaultPlace place;
};

struct GpuLost {
    const KernelLogEntry* entry = nullptr;
    const GpuEvidence* gpu = nullptr;
};
struct GpuEcc {
    std::optional<Said> said;
    const KernelLogEntry* entry = nullptr;
};
struct GpuThrottled {
    const GpuEvidence* gpu = nullptr;
    bool by_heat = false;  // else by power
};

void tell(const CudaOom& facts, const Autopsy& death, Account& account);
void tell(const CudaFragmentation& facts, const Autopsy& death, Account& account);
void tell(const GpuOccupied& facts, const Autopsy& death, Account& account);
void tell(const GpuTakenBeside& facts, const Autopsy& death, Account& account);
void tell(const GpuTakenInAdvance& facts, const Autopsy& death, Account& account);
void tell(const CudaAssert& facts, const Autopsy& death, Account& account);
void tell(const CudaIllegalAccess& facts, const Autopsy& death, Account& account);
void tell(const LabelOnGpu& facts, const Autopsy& death, Account& account);
void tell(const GpuLost& facts, const Autopsy& death, Account& account);
void tell(const GpuEcc& facts, const Autopsy& death, Account& account);
void tell(const GpuThrottled& facts, const Autopsy& death, Account& account);

}  // namespace holdfast::facts
