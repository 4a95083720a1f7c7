// The few declarations of NVIDIA's management library that are used here, as its ABI has them; its
// own header need not be installed. Names are its own, without the prefix.
#pragma once

#include <cstddef>

namespace holdfast::sources::nvml {

using Return = int;
inline constexpr Return success = 0;
inline constexpr Return gpu_is_lost = 15;

using Device = struct DeviceOpaque*;
using EventSet = struct EventSetOpaque*;

struct Memory {  // nvmlMemory_t, the first version; the driver's own reserve counts as used
    unsigned long long total, free, used;
};
static_assert(sizeof(Memory) == 24);

struct Utilization {
    unsigned gpu, memory;
};
static_assert(sizeof(Utilization) == 8);

// nvmlProcessInfo_v2_t, which most versions 3 of the call fill too. All ones: not available.
struct ProcessInfo {
    unsigned pid;
    unsigned long long used_gpu_memory;
    unsigned gpu_instance_id;
    unsigned compute_instance_id;
};
static_assert(sizeof(ProcessInfo) == 24 && offsetof(ProcessInfo, used_gpu_memory) == 8);

struct EventData {
    Device device;
    unsigned long long event_type;
    unsigned long long event_data;  // the Xid
    unsigned gpu_instance_id;
    unsigned compute_instance_id;
};
static_assert(sizeof(EventData) == 32);

inline constexpr unsigned temperature_gpu = 0;
inline constexpr unsigned long long event_xid_critical = 0x8;
inline constexpr int ecc_uncorrected = 1;
inline constexpr int ecc_volatile = 0;

// Filled by dlsym. Only what stands above the line must be there; the others may be null.
struct Functions {
    Return (*init)() = nullptr;
    Return (*shutdown)() = nullptr;
    Return (*device_count)(unsigned*) = nullptr;
    Return (*device)(unsigned, Device*) = nullptr;
    Return (*memory)(Device, Memory*) = nullptr;
    // ---
    Return (*name)(Device, char*, unsigned) = nullptr;
    Return (*utilization)(Device, Utilization*) = nullptr;
    Return (*temperature)(Device, unsigned, unsigned*) = nullptr;
    Return (*clock_reasons)(Device, unsigned long long*) = nullptr;
    Return (*processes)(Device, unsigned*, ProcessInfo*) = nullptr;
    Return (*ecc_errors)(Device, int, int, unsigned long long*) = nullptr;
    Return (*event_set_create)(EventSet*) = nullptr;
    Return (*event_set_free)(EventSet) = nullptr;
    Return (*register_events)(Device, unsigned long long, EventSet) = nullptr;
    Return (*event_wait)(EventSet, EventData*, unsigned) = nullptr;
};

}  // namespace holdfast::sources::nvml
