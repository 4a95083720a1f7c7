// The NVIDIA driver and the frameworks: a driver that is too old or mismatched, a build without
// code for the GPU, a hidden GPU.
#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "check/rules/rules.h"
#include "check/version.h"

namespace holdfast::check::rules {
namespace {

constexpr const char* no_gpu = "no NVIDIA GPU or driver";

// CUDA's minor version compatibility: the oldest driver for a whole major version.
std::optional<int> least_driver(int cuda) {
    switch (cuda) {
    case 13: return 580;
    case 12: return 525;
    case 11: return 450;
    case 10: return 410;
    default: return std::nullopt;
    }
}

// Forward compatibility: somebody put a newer libcuda before an older kernel module on purpose.
bool uses_compat(const NvidiaDriver& nvidia) { return !nvidia.compat.empty(); }

void judge_driver(const Environment& environment, std::string_view name, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    const Framework* framework = python->framework(name);
    if (framework == nullptr) return judgement.impossible(formatted("{} is not installed", name));
    if (!environment.nvidia.present()) return judgement.impossible(no_gpu);
    if (!framework->cuda) return;
    if (!environment.nvidia.module)
        return judgement.impossible("the driver does not report its version");
    const auto cuda = major_minor(*framework->cuda);
    const auto driver = major_minor(environment.nvidia.module->value);
    const auto least = cuda ? least_driver(cuda->major) : std::nullopt;
    if (!driver || !least)
        return judgement.impossible(formatted("CUDA {} is not known here", *framework->cuda));
    if (driver->major >= *least) return;
    const bool compat = uses_compat(environment.nvidia);
    judgement.find(
        compat ? Severity::note : Severity::blocks, "driver-too-old"_cause,
        formatted("{} {} is built for CUDA {}, which needs a driver of {} or later; this one is "
                  "{}{}.",
                  name, framework->version, *framework->cuda, *least,
                  environment.nvidia.module->value,
                  compat ? ", and a cuda-compat library stands in front of it" : ""),
        {{environment.nvidia.module->file, environment.nvidia.module->value},
         {framework->cuda_file, "CUDA " + *framework->cuda}},
        {{formatted("Install a driver of {} or later.", *least),
          formatted("sudo apt install nvidia-driver-{}", *least)},
         {formatted("Or install a {} built for an older CUDA than {}.", name, cuda->major), ""}});
}

// "sm_86", "sm_90a", "compute_90".
struct GpuCode {
    int major = 0, minor = 0;
    bool ptx = false, exact = false;
};

std::optional<GpuCode> parse_code(std::string_view text) {
    GpuCode code;
    if (text.starts_with("sm_"))
        text.remove_prefix(3);
    else if (text.starts_with("compute_")) {
        text.remove_prefix(8);
        code.ptx = true;
    } else {
        return std::nullopt;
    }
    if (text.ends_with('a')) {
        code.exact = true;
        text.remove_suffix(1);
    } else if (text.ends_with('f')) {
        text.remove_suffix(1);
    }
    const auto number = parse_number<int>(text);
    if (!number || *number < 10) return std::nullopt;
    code.major = *number / 10;
    code.minor = *number % 10;
    return code;
}

bool runs_on(const GpuCode& code, int major, int minor) {
    if (code.exact) return code.major == major && code.minor == minor;
    if (code.ptx) return code.major < major || (code.major == major && code.minor <= minor);
    return code.major == major && code.minor <= minor;
}

void judge_code(const Environment& environment, std::string_view name, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    const Framework* framework = python->framework(name);
    if (framework == nullptr) return judgement.impossible(formatted("{} is not installed", name));
    const NvidiaDriver& nvidia = environment.nvidia;
    if (!nvidia.present()) return judgement.impossible(no_gpu);
    if (nvidia.gpus.gpus.empty()) return judgement.impossible(nvidia.no_answers_because);
    if (!framework->cuda) return;
    std::vector<GpuCode> codes;
    for (const std::string& text : framework->gpu_code) {
        const auto code = parse_code(text);
        // The word that we do not know may be the code that is needed.
        if (!code) return judgement.impossible("the build's list of GPU code is not understood");
        codes.push_back(*code);
    }
    if (codes.empty()) return judgement.impossible("the build does not list its GPU code");
    for (const GpuFacts& gpu : nvidia.gpus.gpus) {
        const auto major = gpu.health.capability_major;
        const auto minor = gpu.health.capability_minor;
        if (!major || !minor) continue;
        const auto fits = [&](const GpuCode& code) { return runs_on(code, *major, *minor); };
        if (std::any_of(codes.begin(), codes.end(), fits)) continue;
        std::string list;
        for (const std::string& text : framework->gpu_code)
            list += (list.empty() ? "" : " ") + text;
        judgement.find(
            Severity::blocks, "gpu-unsupported"_cause,
            formatted("{} {} has no code for the {} (compute capability {}.{}): it was built for "
                      "{}.",
                      name, framework->version, gpu.reading.name, *major, *minor, list),
            {{framework->gpu_code_file, list},
             {"NVML", formatted("GPU {}: {}.{}", gpu.reading.index, *major, *minor)}},
            {{formatted("Install a build of {} for compute capability {}.{}.", name, *major,
                        *minor),
              formatted("pip install --upgrade {}", name)}});
    }
}

}  // namespace

void driver_for_torch(const Environment& e, CheckResult& j) { judge_driver(e, "torch", j); }
void driver_for_tensorflow(const Environment& e, CheckResult& j) {
    judge_driver(e, "tensorflow", j);
}
void driver_for_jax(const Environment& e, CheckResult& j) { judge_driver(e, "jax", j); }
void gpu_code_torch(const Environment& e, CheckResult& j) { judge_code(e, "torch", j); }
void gpu_code_tensorflow(const Environment& e, CheckResult& j) { judge_code(e, "tensorflow", j); }

void driver_library(const Environment& environment, CheckResult& judgement) {
    const NvidiaDriver& nvidia = environment.nvidia;
    if (!nvidia.present()) return judgement.impossible(no_gpu);
    if (!nvidia.module)
        return judgement.impossible("the kernel module does not report its version");
    // The library that answers fits, whatever its file is called.
    if (!nvidia.gpus.gpus.empty() || uses_compat(nvidia)) return;
    if (nvidia.libraries.empty())
        return judgement.impossible("the driver's libraries do not report their version");
    for (const Read<std::string>& library : nvidia.libraries) {
        if (library.value == nvidia.module->value) continue;
        return judgement.find(
            Severity::blocks, "driver-too-old"_cause,
            formatted("The kernel runs NVIDIA's module {}, but the library is of version {}: CUDA "
                      "refuses such a pair (error 803).",
                      nvidia.module->value, library.value),
            {{nvidia.module->file, nvidia.module->value}, {library.file, library.value}},
            {{"Load the module that was installed with the library: restart the machine, or reload "
              "the module.",
              "sudo reboot"}});
    }
}

void driver_device_files(const Environment& environment, CheckResult& judgement) {
    const NvidiaDriver& nvidia = environment.nvidia;
    if (!nvidia.present()) return judgement.impossible(no_gpu);
    if (nvidia.wsl || nvidia.uvm_node || nvidia.modprobe) return;
    // Without any device file the container was not given a GPU: that is no mistake.
    if (!nvidia.device_nodes)
        return judgement.impossible("the driver is loaded, but no GPU is visible here");
    judgement.find(Severity::will_hurt, "gpu-setup"_cause,
                   "/dev/nvidia-uvm is missing and cannot be created from here: the first CUDA "
                   "call fails with an unknown error (999).",
                   {{"/dev/nvidia-uvm", "missing"}, {"/usr/bin/nvidia-modprobe", "missing"}},
                   {{"On the host, load the module and create the device file before the container "
                     "starts.",
                     "sudo nvidia-modprobe -u -c=0"}});
}

void driver_missing_library(const Environment& environment, CheckResult& judgement) {
    const NvidiaDriver& nvidia = environment.nvidia;
    if (!nvidia.present()) return judgement.impossible(no_gpu);
    if (nvidia.libcuda || !nvidia.gpus.gpus.empty()) return;
    if (!nvidia.device_nodes)
        return judgement.impossible("the driver is loaded, but no GPU is visible here");
    judgement.find(
        Severity::will_hurt, "cuda-library-missing"_cause,
        "There is a GPU, but the loader cannot find libcuda.so.1: every framework will use "
        "the CPU.",
        {{"libcuda.so.1", "not in LD_LIBRARY_PATH, the loader's cache or the usual folders"}},
        {{nvidia.wsl ? "Under WSL the library comes with Windows' driver, in /usr/lib/wsl/lib."
                     : "In a container, ask for the driver's compute libraries.",
          nvidia.wsl ? "export LD_LIBRARY_PATH=/usr/lib/wsl/lib"
                     : "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."}});
}

void cpu_build(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    const NvidiaDriver& nvidia = environment.nvidia;
    if (!nvidia.device_nodes && nvidia.gpus.gpus.empty()) return judgement.impossible(no_gpu);
    for (const Framework& framework : python->frameworks) {
        if (!framework.cpu_only) continue;
        if (!environment.wanted.empty() && environment.wanted != framework.name) continue;
        const bool torch = framework.name == "torch";
        judgement.find(
            environment.wanted == framework.name || python->frameworks.size() == 1
                ? Severity::will_hurt
                : Severity::note,
            "gpu-unsupported"_cause,
            formatted("{} {} is a CPU-only build; the GPU of this machine will stay idle.",
                      framework.name, framework.version),
            {{framework.cuda_file, "no CUDA"}},
            {{formatted("Install a build of {} with CUDA.", framework.name),
              torch                     ? "pip install --force-reinstall torch"
              : framework.name == "jax" ? "pip install 'jax[cuda13]'"
                                        : "pip install 'tensorflow[and-cuda]'"}});
    }
}

void hidden_gpus(const Environment& environment, CheckResult& judgement) {
    const NvidiaDriver& nvidia = environment.nvidia;
    if (!nvidia.present()) return judgement.impossible(no_gpu);
    const auto found = environment.variables.find("CUDA_VISIBLE_DEVICES");
    if (found == environment.variables.end()) return;
    const std::string& value = found->second;
    const std::size_t count = nvidia.gpus.gpus.size();
    std::string_view rest = value;
    const auto first = parse_number<int>(trim(next_piece(rest, ',').value_or("")));
    // CUDA stops at the first invalid entry. Entries that are names (GPU-..., MIG-...) are not
    // judged.
    const bool nothing = trim(value).empty() || (first && *first < 0);
    const bool beyond = count > 0 && first && *first >= static_cast<int>(count);
    if (!nothing && !beyond) return;
    judgement.find(
        nothing ? Severity::note : Severity::will_hurt, "gpu-setup"_cause,
        nothing ? formatted("CUDA_VISIBLE_DEVICES is \"{}\": it hides every GPU.", value)
                : formatted("CUDA_VISIBLE_DEVICES is \"{}\", but the GPUs here are numbered 0 to "
                            "{}: CUDA will see none.",
                            value, count - 1),
        {{"CUDA_VISIBLE_DEVICES", value}},
        {{"Unset it, or name a GPU that exists.", "unset CUDA_VISIBLE_DEVICES"}});
}

}  // namespace holdfast::check::rules
