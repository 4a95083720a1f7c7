// The driver's kernel module, its library, its device files, and what the library answers.
#include <array>

#include "base/text.h"
#include "check/gather.h"
#include "check/paths.h"

namespace holdfast::check {
namespace {

bool is_driver_version(std::string_view word) {
    const auto parts = split(word, '.');
    if (parts.size() < 2 || parts.size() > 3) return false;
    for (const std::string_view part : parts)
        if (!parse_number<unsigned>(part)) return false;
    return parts[0].size() >= 3;
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 ..."
std::optional<std::string> version_in(std::string_view text) {
    std::string_view line = next_line(text).value_or("");
    while (const auto word = next_word(line))
        if (is_driver_version(*word)) return std::string(*word);
    return std::nullopt;
}

// "libcuda.so.535.129.03": the version is in the name.
std::optional<std::string> version_of_name(std::string_view path) {
    const std::string_view name = base_name(path);
    const std::size_t at = name.find(".so.");
    if (at == std::string_view::npos) return std::nullopt;
    const std::string_view version = name.substr(at + 4);
    return is_driver_version(version) ? std::optional(std::string(version)) : std::nullopt;
}

std::optional<std::string> find_driver_library(Sight& sight, const Environment& environment,
                                               const std::string& soname) {
    for (const std::string& folder : folders_in(environment.variable("LD_LIBRARY_PATH")))
        if (std::string file = joined(folder, soname); sight.exists(file)) return file;
    if (auto file = sight.cached(soname)) return file;
    for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib",
                               "/usr/lib/aarch64-linux-gnu", "/usr/lib"})
        if (std::string file = joined(folder, soname); sight.exists(file)) return file;
    return std::nullopt;
}

bool is_bus(std::string_view name) {
    return name.size() < 20 && name.find_first_not_of("0123456789abcdefABCDEF:.") == name.npos;
}

void gather_slots(Sight& sight, NvidiaDriver& nvidia) {
    for (const std::string& bus :
         sight.list("/proc/driver/nvidia/gpus", is_bus).value_or(std::vector<std::string>())) {
        if (nvidia.slots.size() >= 64) return;
        const std::string file = "/sys/bus/pci/devices/" + bus + "/local_cpulist";
        if (const auto text = sight.read(file, 4096))
            nvidia.slots.push_back({bus, std::string(trim(*text)), file});
    }
}

bool is_gpu_node(std::string_view name) {
    return name.starts_with("nvidia") && parse_number<unsigned>(name.substr(6)).has_value();
}

}  // namespace

void gather_nvidia(Sight& sight, Environment& environment, bool ask) {
    NvidiaDriver& nvidia = environment.nvidia;
    for (const char* file : {"/sys/module/nvidia/version", "/proc/driver/nvidia/version"}) {
        const auto text = sight.read(file, 4096);
        if (!text || nvidia.module) continue;
        const std::string_view whole = trim(*text);
        if (is_driver_version(whole))
            nvidia.module = Read<std::string>{std::string(whole), file};
        else if (auto version = version_in(*text))
            nvidia.module = Read<std::string>{std::move(*version), file};
    }
    nvidia.wsl = sight.exists("/dev/dxg");
    nvidia.device_nodes =
        nvidia.wsl || !sight.list("/dev", is_gpu_node).value_or(std::vector<std::string>()).empty();
    nvidia.uvm_node = sight.exists("/dev/nvidia-uvm");
    nvidia.modprobe = sight.exists("/usr/bin/nvidia-modprobe");
    for (const char* soname : {"libcuda.so.1", "libnvidia-ml.so.1"}) {
        const auto file = find_driver_library(sight, environment, soname);
        if (!file) continue;
        if (std::string_view(soname) == "libcuda.so.1") nvidia.libcuda = *file;
        const std::string real = followed(sight, *file);
        if (auto version = version_of_name(real))
            nvidia.libraries.push_back({std::move(*version), real});
        if (real.find("/compat") != std::string::npos) nvidia.compat.push_back(real);
    }
    if (!nvidia.present()) {
        nvidia.no_answers_because = "no NVIDIA GPU or driver";
        return;
    }
    gather_slots(sight, nvidia);
    if (!ask) {
        nvidia.no_answers_because = "the NVIDIA library is not asked here";
        return;
    }
    GpuAnswers answers = sight.gpus();
    nvidia.gpus = parse_gpu_lines(answers.lines);
    nvidia.no_answers_because = std::move(answers.absent_because);
    if (nvidia.no_answers_because.empty() && nvidia.gpus.gpus.empty())
        nvidia.no_answers_because = "the NVIDIA library shows no GPU";
    if (!nvidia.module && !nvidia.gpus.driver.empty())
        nvidia.module = Read<std::string>{nvidia.gpus.driver, "NVML"};
}

}  // namespace holdfast::check
