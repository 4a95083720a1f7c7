// Replaces NVIDIA's management library: answers from a record, the lines that begin with "gpu " in
// the file that HOLDFAST_NVML_RECORD names. If the file contains "hang", it never answers.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

struct Gpu {
    std::map<std::string, std::string> figures;
};
struct Answers {
    std::string driver;
    std::vector<Gpu> gpus;
    bool hang = false, mismatch = false;
};

Answers read_answers() {
    Answers answers;
    const char* path = std::getenv("HOLDFAST_NVML_RECORD");
    std::FILE* file = path != nullptr ? std::fopen(path, "r") : nullptr;
    if (file == nullptr) return answers;
    char line[4096];
    while (std::fgets(line, sizeof line, file) != nullptr) {
        std::string text(line);
        while (!text.empty() && text.back() == '\n') text.pop_back();
        if (text == "hang") answers.hang = true;
        if (text == "mismatch") answers.mismatch = true;
        if (text.rfind("gpu driver ", 0) == 0) {
            answers.driver = text.substr(11);
        } else if (text.rfind("gpu ", 0) == 0) {
            Gpu gpu;
            std::size_t at = text.find(' ', 4);
            while (at != std::string::npos) {
                const std::size_t equals = text.find('=', at);
                if (equals == std::string::npos) break;
                const std::string key = text.substr(at + 1, equals - at - 1);
                const std::size_t end = key == "name" ? std::string::npos : text.find(' ', equals);
                gpu.figures[key] =
                    text.substr(equals + 1, end == std::string::npos ? end : end - equals - 1);
                at = end;
            }
            answers.gpus.push_back(gpu);
        }
    }
    std::fclose(file);
    return answers;
}

const Answers& answers() {
    static const Answers all = read_answers();
    return all;
}

constexpr int not_supported = 3, lost = 15, mismatch = 18;

const Gpu* of(void* device) { return static_cast<const Gpu*>(device); }

template <class T>
int give(void* device, const char* key, T* into) {
    const auto& figures = of(device)->figures;
    if (figures.count("lost") != 0) return lost;
    const auto found = figures.find(key);
    if (found == figures.end()) return not_supported;
    *into = static_cast<T>(std::strtoull(found->second.c_str(), nullptr, 10));
    return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
    while (answers().hang) ::pause();
    return answers().mismatch ? mismatch : 0;
}
int nvmlShutdown() { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) {
    *count = static_cast<unsigned>(answers().gpus.size());
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
    *device = const_cast<Gpu*>(&answers().gpus[index]);
    return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned size) {
    std::snprintf(text, size, "%s", answers().driver.c_str());
    return 0;
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
    std::snprintf(text, size, "%s", of(device)->figures.at("name").c_str());
    return 0;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* memory) {
    const int result = give(device, "total", &memory[0]);
    if (result != 0) return result;
    (void)give(device, "free", &memory[1]);
    return give(device, "used", &memory[2]);
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
    return give(device, "utilisation", &rates[0]);
}
int nvmlDeviceGetTemperature(void* device, unsigned, unsigned* celsius) {
    return give(device, "temperature", celsius);
}
int nvmlDeviceGetTemperatureThreshold(void* device, unsigned kind, unsigned* celsius) {
    return kind == 1 ? give(device, "slowdown", celsius) : not_supported;
}
int nvmlDeviceGetCurrentClocksEventReasons(void* device, unsigned long long* reasons) {
    return give(device, "reasons", reasons);
}
int nvmlDeviceGetTotalEccErrors(void* device, int, int, unsigned long long* errors) {
    return give(device, "ecc_uncorrected", errors);
}
int nvmlDeviceGetCudaComputeCapability(void* device, int* major, int* minor) {
    (void)give(device, "capability_major", major);
    return give(device, "capability_minor", minor);
}
int nvmlDeviceGetPersistenceMode(void* device, int* mode) {
    return give(device, "persistence", mode);
}
int nvmlDeviceGetComputeMode(void* device, int* mode) { return give(device, "compute_mode", mode); }
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
    *pending = 0;
    return give(device, "mig", current);
}
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** instance) {
    unsigned count = 0;
    *instance = device;
    return give(device, "mig_devices", &count) == 0 && index < count ? 0 : 6;
}
int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* width) {
    return give(device, "link_width", width);
}
int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned* width) {
    return give(device, "link_width_most", width);
}
int nvmlDeviceGetPcieReplayCounter(void* device, unsigned* count) {
    return give(device, "replays", count);
}
int nvmlDeviceGetRemappedRows(void* device, unsigned* corrected, unsigned* uncorrected,
                              unsigned* pending, unsigned* failed) {
    *corrected = 0;
    (void)give(device, "remapped_uncorrected", uncorrected);
    (void)give(device, "remap_pending", pending);
    return give(device, "remap_failed", failed);
}
int nvmlDeviceGetFieldValues(void* device, int count, void* fields) {
    struct Field {
        unsigned field, scope;
        long long timestamp, latency;
        unsigned type;
        int result;
        unsigned long long value;
    };
    auto* all = static_cast<Field*>(fields);
    for (int i = 0; i < count; ++i)
        all[i].result =
            all[i].field == 230 ? give(device, "recovery", &all[i].value) : not_supported;
    return 0;
}
int nvmlDeviceGetGpuFabricInfo(void* device, void* info) {
    auto* bytes = static_cast<unsigned char*>(info);
    std::memset(bytes, 0, 25);
    int status = 0;
    (void)give(device, "fabric_status", &status);
    std::memcpy(bytes + 16, &status, sizeof status);
    return give(device, "fabric_state", bytes + 24);
}

}  // extern "C"
