#include "sources/gpu_reader.h"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <utility>

#include "sources/nvml.h"

namespace holdfast::sources {
namespace {

class NoGpus final : public GpuReader {
public:
    explicit NoGpus(std::string reason) : reason_(std::move(reason)) {}
    std::string absent_because() const override { return reason_; }
    std::vector<GpuReading> read() override { return {}; }
    std::vector<GpuXid> new_xids() override { return {}; }
    std::vector<GpuHealth> read_health() override { return {}; }
    std::string driver_version() override { return {}; }

private:
    std::string reason_;
};

struct CloseLibrary {
    void operator()(void* handle) const { ::dlclose(handle); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

// Finds the first of `names` that the library has.
template <class Function>
void find(const Library& library, Function& function, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        void* symbol = ::dlsym(library.get(), name);
        if (symbol == nullptr) continue;
        std::memcpy(&function, &symbol, sizeof(function));
        return;
    }
}

nvml::Functions functions_of(const Library& library) {
    nvml::Functions f;
    find(library, f.init, {"nvmlInit_v2"});
    find(library, f.shutdown, {"nvmlShutdown"});
    find(library, f.device_count, {"nvmlDeviceGetCount_v2"});
    find(library, f.device, {"nvmlDeviceGetHandleByIndex_v2"});
    find(library, f.memory, {"nvmlDeviceGetMemoryInfo"});
    find(library, f.name, {"nvmlDeviceGetName"});
    find(library, f.utilization, {"nvmlDeviceGetUtilizationRates"});
    find(library, f.temperature, {"nvmlDeviceGetTemperature"});
    find(library, f.clock_reasons,
         {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
    // v2 before v3: in drivers 535.43 to 535.86, v3 fills larger structures under the same name.
    // Never use the call without a number: it fills smaller ones.
    find(library, f.processes,
         {"nvmlDeviceGetComputeRunningProcesses_v2", "nvmlDeviceGetComputeRunningProcesses_v3"});
    find(library, f.ecc_errors, {"nvmlDeviceGetTotalEccErrors"});
    find(library, f.event_set_create, {"nvmlEventSetCreate"});
    find(library, f.event_set_free, {"nvmlEventSetFree"});
    find(library, f.register_events, {"nvmlDeviceRegisterEvents"});
    find(library, f.event_wait, {"nvmlEventSetWait_v2"});
    find(library, f.driver_version, {"nvmlSystemGetDriverVersion"});
    find(library, f.capability, {"nvmlDeviceGetCudaComputeCapability"});
    find(library, f.threshold, {"nvmlDeviceGetTemperatureThreshold"});
    find(library, f.persistence, {"nvmlDeviceGetPersistenceMode"});
    find(library, f.compute_mode, {"nvmlDeviceGetComputeMode"});
    find(library, f.mig_mode, {"nvmlDeviceGetMigMode"});
    find(library, f.mig_device, {"nvmlDeviceGetMigDeviceHandleByIndex"});
    find(library, f.link_width, {"nvmlDeviceGetCurrPcieLinkWidth"});
    find(library, f.link_width_most, {"nvmlDeviceGetMaxPcieLinkWidth"});
    find(library, f.link_replays, {"nvmlDeviceGetPcieReplayCounter"});
    find(library, f.remapped_rows, {"nvmlDeviceGetRemappedRows"});
    find(library, f.pages_pending, {"nvmlDeviceGetRetiredPagesPendingStatus"});
    find(library, f.field_values, {"nvmlDeviceGetFieldValues"});
    find(library, f.fabric, {"nvmlDeviceGetGpuFabricInfo"});
    return f;
}

class NvmlReader final : public GpuReader {
public:
    NvmlReader(Library library, const nvml::Functions& functions)
        : library_(std::move(library)), nvml_(functions) {
        unsigned count = 0;
        if (nvml_.device_count(&count) != nvml::success) return;
        for (unsigned i = 0; i < count && i < 64; ++i) {
            nvml::Device device = nullptr;
            const nvml::Return result = nvml_.device(i, &device);
            gpus_.push_back(
                {result == nvml::success ? device : nullptr, {}, result == nvml::gpu_is_lost});
            std::array<char, 96> name{};
            if (device != nullptr && nvml_.name != nullptr &&
                nvml_.name(device, name.data(), name.size()) == nvml::success)
                gpus_.back().name = std::string(name.data(), ::strnlen(name.data(), name.size()));
        }
        listen_for_xids();
    }
    ~NvmlReader() override {
        if (events_ != nullptr && nvml_.event_set_free != nullptr) nvml_.event_set_free(events_);
        nvml_.shutdown();
    }
    NvmlReader(const NvmlReader&) = delete;
    NvmlReader& operator=(const NvmlReader&) = delete;

    std::string absent_because() const override {
        return gpus_.empty() ? "the NVIDIA driver shows no GPU" : "";
    }

    std::vector<GpuReading> read() override {
        std::vector<GpuReading> readings;
        for (std::size_t i = 0; i < gpus_.size(); ++i) {
            readings.push_back(read_one(gpus_[i]));
            readings.back().index = static_cast<int>(i);
        }
        return readings;
    }

    std::vector<GpuHealth> read_health() override {
        std::vector<GpuHealth> healths;
        for (Gpu& gpu : gpus_) healths.push_back(health_of(gpu));
        return healths;
    }

    std::string driver_version() override {
        std::array<char, 96> text{};
        if (nvml_.driver_version == nullptr ||
            nvml_.driver_version(text.data(), text.size()) != nvml::success)
            return {};
        return {text.data(), ::strnlen(text.data(), text.size())};
    }

    std::vector<GpuXid> new_xids() override {
        std::vector<GpuXid> xids;
        nvml::EventData event{};
        // Limited, because a broken GPU can raise events faster than we read them.
        while (events_ != nullptr && xids.size() < 64 &&
               nvml_.event_wait(events_, &event, 0) == nvml::success) {
            if (event.event_type != nvml::event_xid_critical) continue;
            for (std::size_t i = 0; i < gpus_.size(); ++i)
                if (gpus_[i].device == event.device)
                    xids.push_back({static_cast<int>(i), static_cast<int>(event.event_data)});
        }
        return xids;
    }

private:
    struct Gpu {
        nvml::Device device;
        std::string name;
        bool lost;  // stays: a lost GPU comes back only with a reboot or a reset
    };

    void listen_for_xids() {
        if (nvml_.event_set_create == nullptr || nvml_.register_events == nullptr ||
            nvml_.event_wait == nullptr || nvml_.event_set_create(&events_) != nvml::success) {
            events_ = nullptr;
            return;
        }
        for (const Gpu& gpu : gpus_)
            if (gpu.device != nullptr)
                (void)nvml_.register_events(gpu.device, nvml::event_xid_critical, events_);
    }

    // Calls a function of the library; false if the library lacks it, or if it failed.
    template <class Function, class... Arguments>
    bool ask(Gpu& gpu, Function function, Arguments... arguments) {
        if (function == nullptr || gpu.device == nullptr || gpu.lost) return false;
        const nvml::Return result = function(gpu.device, arguments...);
        if (result == nvml::gpu_is_lost) gpu.lost = true;
        return result == nvml::success;
    }

    GpuReading read_one(Gpu& gpu) {
        GpuReading reading;
        reading.name = gpu.name;
        nvml::Memory memory{};
        if (ask(gpu, nvml_.memory, &memory)) {
            reading.total = Bytes{memory.total};
            reading.used = Bytes{memory.used};
            reading.free = Bytes{memory.free};
        }
        nvml::Utilization utilization{};
        if (ask(gpu, nvml_.utilization, &utilization))
            reading.utilisation_percent = static_cast<int>(utilization.gpu);
        unsigned celsius = 0;
        if (ask(gpu, nvml_.temperature, nvml::temperature_gpu, &celsius))
            reading.temperature_celsius = static_cast<int>(celsius);
        unsigned long long reasons = 0;
        if (ask(gpu, nvml_.clock_reasons, &reasons)) reading.clock_event_reasons = reasons;
        unsigned long long errors = 0;
        if (ask(gpu, nvml_.ecc_errors, nvml::ecc_uncorrected, nvml::ecc_volatile, &errors))
            reading.uncorrected_ecc = errors;
        reading.processes = processes_of(gpu);
        reading.lost = gpu.lost;
        return reading;
    }

    GpuHealth health_of(Gpu& gpu) {
        GpuHealth health;
        int major = 0, minor = 0;
        if (ask(gpu, nvml_.capability, &major, &minor)) {
            health.capability_major = major;
            health.capability_minor = minor;
        }
        int number = 0;
        if (ask(gpu, nvml_.persistence, &number)) health.persistence = number;
        if (ask(gpu, nvml_.compute_mode, &number)) health.compute_mode = number;
        if (ask(gpu, nvml_.pages_pending, &number)) health.pages_pending = number;
        unsigned amount = 0, pending = 0;
        if (ask(gpu, nvml_.threshold, nvml::threshold_slowdown, &amount))
            health.slowdown_celsius = static_cast<int>(amount);
        if (ask(gpu, nvml_.link_width, &amount)) health.link_width = static_cast<int>(amount);
        if (ask(gpu, nvml_.link_width_most, &amount))
            health.link_width_most = static_cast<int>(amount);
        if (ask(gpu, nvml_.link_replays, &amount)) health.link_replays = amount;
        if (ask(gpu, nvml_.mig_mode, &amount, &pending)) health.mig = static_cast<int>(amount);
        if (health.mig == 1) health.mig_devices = mig_devices_of(gpu);
        unsigned corrected = 0, uncorrected = 0, failed = 0;
        if (ask(gpu, nvml_.remapped_rows, &corrected, &uncorrected, &pending, &failed)) {
            health.remapped_uncorrected = uncorrected;
            health.remap_pending = static_cast<int>(pending);
            health.remap_failed = static_cast<int>(failed);
        }
        nvml::FieldValue field{};
        field.field = nvml::field_recovery_action;
        if (ask(gpu, nvml_.field_values, 1, &field) && field.result == nvml::success)
            health.recovery_action = field.value & 0xffffffffU;
        nvml::FabricInfo fabric{};
        if (ask(gpu, nvml_.fabric, &fabric)) {
            health.fabric_state = fabric.state;
            health.fabric_status = fabric.status;
        }
        return health;
    }

    std::optional<int> mig_devices_of(Gpu& gpu) {
        if (nvml_.mig_device == nullptr) return std::nullopt;
        int count = 0;
        nvml::Device instance = nullptr;
        for (unsigned i = 0; i < 8; ++i)
            if (ask(gpu, nvml_.mig_device, i, &instance)) ++count;
        return count;
    }

    std::vector<GpuProcess> processes_of(Gpu& gpu) {
        // Twice as much room as we tell the driver: see functions_of about structures that grew.
        constexpr unsigned most = 128;
        std::array<nvml::ProcessInfo, std::size_t{2} * most> infos{};
        unsigned count = most;
        std::vector<GpuProcess> processes;
        if (!ask(gpu, nvml_.processes, &count, infos.data()) || count > most) return processes;
        for (unsigned i = 0; i < count; ++i) {
            GpuProcess process{static_cast<int>(infos[i].pid), {}};
            if (infos[i].used_gpu_memory != ~0ULL) process.used = Bytes{infos[i].used_gpu_memory};
            processes.push_back(process);
        }
        return processes;
    }

    Library library_;
    nvml::Functions nvml_;
    std::vector<Gpu> gpus_;
    nvml::EventSet events_ = nullptr;
};

}  // namespace

std::unique_ptr<GpuReader> make_gpu_reader(const char* library_name) {
    Library library(::dlopen(library_name, RTLD_NOW | RTLD_LOCAL));
    if (library == nullptr)
        return std::make_unique<NoGpus>("no NVIDIA management library on this machine");
    const nvml::Functions functions = functions_of(library);
    if (functions.init == nullptr || functions.shutdown == nullptr ||
        functions.device_count == nullptr || functions.device == nullptr ||
        functions.memory == nullptr)
        return std::make_unique<NoGpus>("the NVIDIA management library lacks functions");
    const nvml::Return opened = functions.init();
    if (opened == nvml::library_mismatch)
        return std::make_unique<NoGpus>(
            "the NVIDIA library and the kernel module are of different versions");
    if (opened != nvml::success)
        return std::make_unique<NoGpus>("the NVIDIA driver does not answer");
    return std::make_unique<NvmlReader>(std::move(library), functions);
}

}  // namespace holdfast::sources
