// Causes whose decisive evidence is a text: it must be the last one, before a death that fits.
#include <fmt/format.h>

#include <array>
#include <csignal>
#include <string_view>

#include "diagnose/last_text.h"
#include "diagnose/rules/rules.h"
#include "diagnose/words.h"

namespace holdfast::rules {
namespace {

enum class Ends { by_exception, by_abort, either };

struct Telling {
    CauseId cause;
    std::string_view text;
    std::string_view also;  // must stand in the same line; may be empty
    Ends ends;
    std::string_view fix;
    std::string_view code;
};

constexpr std::array tellings{
    // The message names both runtimes, so both are known to be loaded.
    Telling{"openmp-duplicate"_cause, "OMP: Error #15", "already initialized", Ends::either,
            "Install one OpenMP runtime only: take all native packages from one source.",
            "conda install nomkl"},
    Telling{"cuda-library-missing"_cause, "Could not load library libcudnn", "", Ends::either,
            "Install the cuDNN that this build asks for, or put it on the library path.", ""},
    Telling{"cuda-library-missing"_cause, "libcudnn", "cannot open shared object file",
            Ends::by_exception, "Install the cuDNN that this build asks for.", ""},
    Telling{"cuda-library-missing"_cause, "libcublas", "cannot open shared object file",
            Ends::by_exception, "Install the CUDA libraries that this build asks for.", ""},
    Telling{"cuda-library-missing"_cause, "libnccl", "cannot open shared object file",
            Ends::by_exception, "Install the NCCL that this build asks for.", ""},
    Telling{"library-missing"_cause, "cannot open shared object file", "ImportError",
            Ends::by_exception, "Install the package that brings the library named in the message.",
            "ldd module.so"},
    Telling{"library-missing"_cause, "version `", "' not found", Ends::by_exception,
            "The library is there, but too old: update it, or take a build for this system.", ""},
    Telling{"mkl-broken"_cause, "MKL FATAL ERROR", "", Ends::either,
            "Reinstall MKL and NumPy from one source, or use a build without MKL.",
            "conda install nomkl"},
    Telling{"protobuf-clash"_cause, "google::protobuf::FatalException", "", Ends::by_abort,
            "Pin one protobuf version for all packages.", ""},
    Telling{"protobuf-clash"_cause, "Descriptors cannot be created directly", "",
            Ends::by_exception, "Pin protobuf below 4, or regenerate the _pb2.py files.",
            "pip install 'protobuf<4'"},
    Telling{"numpy-abi"_cause, "compiled against ABI version", "", Ends::by_exception,
            "Rebuild the extension for this NumPy, or pin the NumPy it was built for.", ""},
    Telling{"numpy-abi"_cause, "numpy.dtype size changed", "", Ends::by_exception,
            "Rebuild the extension for this NumPy, or pin the NumPy it was built for.", ""},
    Telling{"no-display"_cause, "Qt platform plugin", "", Ends::by_abort,
            "Use the headless build of the library, or a backend without a window.",
            "pip install opencv-python-headless"},
    Telling{"emulated-cpu"_cause, "qemu: uncaught target signal", "", Ends::either,
            "Use an image built for this machine's CPU.", "docker run --platform linux/arm64 ..."},
    Telling{"cuda-illegal-access"_cause, "an illegal memory access was encountered", "",
            Ends::either, "Run once with every kernel waited for: the line is then the right one.",
            "CUDA_LAUNCH_BLOCKING=1"},
    Telling{
        "cuda-assert"_cause, "device-side assert triggered", "", Ends::either,
        "Check labels and indices against the number of classes; on the CPU the same code names "
        "the bad one.",
        "CUDA_LAUNCH_BLOCKING=1"},
    Telling{"driver-too-old"_cause, "driver on your system is too old", "", Ends::by_exception,
            "Update the NVIDIA driver, or install a build for an older CUDA.", "nvidia-smi"},
    Telling{"driver-too-old"_cause, "CUDA driver version is insufficient", "", Ends::by_exception,
            "Update the NVIDIA driver, or install a build for an older CUDA.", "nvidia-smi"},
    Telling{"gpu-unsupported"_cause, "no kernel image is available for execution", "",
            Ends::by_exception, "Install a build that has code for this GPU.",
            "python -c 'import torch; print(torch.cuda.get_arch_list())'"},
};

bool fits(const Death& death, const Said& said, Ends ends) {
    const bool exception = exception_decided_exit(death);
    if (ends == Ends::by_exception) return exception;
    const bool abort = death.by(SIGABRT) && said.final;
    if (ends == Ends::by_abort) return abort;
    return exception || abort || (death.exit.code && said.final);
}

}  // namespace

std::optional<Finding> telling_text(const Death& death) {
    for (const Telling& telling : tellings) {
        const std::optional<Said> said = said_last(death, {telling.text});
        if (!said || said->line.find(telling.also) == std::string::npos ||
            !fits(death, *said, telling.ends))
            continue;
        Finding finding = finding_about(
            death, telling.cause, death.sure_of_exit() ? Confidence::certain : Confidence::likely,
            fmt::format("{} stopped with: {}", who(death), shortened(said->line)));
        finding.evidence.push_back({said->source, shortened(said->line)});
        finding.fixes.push_back({std::string(telling.fix), std::string(telling.code)});
        return finding;
    }
    return std::nullopt;
}

}  // namespace holdfast::rules
