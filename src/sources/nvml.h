// The few declarations of NVIDIA's management library that we use, with its ABI; its header need
// not be installed. The names are NVML's, without the prefix.
#pragma once

#include <cstddef>

namespace holdfast::sources::nvml {

using Return = int;
inline constexpr Return success = 0;
inline constexpr Return gpu_is_lost = 15;
inline constexpr Return library_mismatch = 18;

using Device = struct DeviceOpaque*;
using EventSet = struct EventSetOpaque*;

struct Memory {  // nvmlMemory_t, version 1; the driver's reserve counts as used
    unsigned long long total, free, used;
};
static_assert(sizeof(Memory) == 24);

struct Utilization {
    unsigned gpu, memory;
};
static_assert(sizeof(Utilization) == 8);

// nvmlProcessInfo_v2_t, which most versions of the v3 call fill, too. All ones means unavailable.
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

struct FieldValue {
    unsigned field, scope;
    long long timestamp, latency;
    unsigned value_type;
    Return result;
    unsigned long long value;  // a union of numbers; the small ones are in its first bytes
};
static_assert(sizeof(FieldValue) == 40);

struct FabricInfo {
    unsigned char cluster[16];
    Return status;
    unsigned clique;
    unsigned char state;
};
static_assert(sizeof(FabricInfo) == 28);

inline constexpr unsigned field_recovery_action = 230;
inline constexpr unsigned threshold_slowdown = 1;
inline constexpr unsigned temperature_gpu = 0;
inline constexpr unsigned long long event_xid_critical = 0x8;
inline constexpr int ecc_uncorrected = 1;
inline constexpr int ecc_volatile = 0;

// Filled by dlsym. The functions above the line must exist; those below may be null.
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
    Return (*driver_version)(char*, unsigned) = nullptr;
    Return (*capability)(Device, int*, int*) = nullptr;
    Return (*threshold)(Device, unsigned, unsigned*) = nullptr;
    Return (*persistence)(Device, int*) = nullptr;
    Return (*compute_mode)(Device, int*) = nullptr;
    Return (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
    Return (*mig_device)(Device, unsigned, Device*) = nullptr;
    Return (*link_width)(Device, unsigned*) = nullptr;
    Return (*link_width_most)(Device, unsigned*) = nullptr;
    Return (*link_replays)(Device, unsigned*) = nullptr;
    Return (*remapped_rows)(Device, unsigned*, unsigned*, unsigned*, unsigned*) = nullptr;
    Return (*pages_pending)(Device, int*) = nullptr;
    Return (*field_values)(Device, int, FieldValue*) = nullptr;
    Return (*fabric)(Device, FabricInfo*) = nullptr;
};

}  // namespace holdfast::sources::nvml
