// Causes whose decisive evidence is a text: it must be the last one, before a death that fits.
#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "diagnose/facts/exceptions.h"
#include "diagnose/rules/rules.h"
#include "diagnose/text/last_text.h"

namespace holdfast::rules {
namespace {

// How a program ends after the words. `either` is an exception or an abort; where the library that
// says them also ends the process, a plain exit status will do. Anybody else may print them and
// exit.
enum class Ends { by_exception, by_abort, either, library_exits, in_any_way };

struct Telling {
    CauseId cause;
    std::string_view text;
    std::string_view also;  // must stand in the same line; may be empty
    Ends ends;
    std::string_view fix;
    std::string_view code;
};

constexpr std::string_view newer_driver =
    "Update the NVIDIA driver, or install a build for an older CUDA.";
constexpr std::string_view same_cuda =
    "Install the CUDA libraries that this build asks for, from one source, or put them on the "
    "library path.";
constexpr std::string_view rebuild =
    "Rebuild the extension for this NumPy, or pin the NumPy it was built for.";

// The first that fits is taken: the special before the general.
constexpr std::array tellings{
    // The message names both runtimes, so both are known to be loaded.
    Telling{"openmp-duplicate"_cause, "OMP: Error #15", "already initialized", Ends::library_exits,
            "Install one OpenMP runtime only: take all native packages from one source.",
            "conda install nomkl"},
    Telling{"cuda-library-mismatch"_cause, "Loaded runtime CuDNN library", "compiled with",
            Ends::either, "Install the cuDNN version that the framework was compiled with.",
            "pip install 'nvidia-cudnn-cu12==9.*'"},
    Telling{"cuda-library-mismatch"_cause, "cuDNN version incompatibility", "", Ends::either,
            "Take the old cuDNN off the library path: the framework brings its own.",
            "unset LD_LIBRARY_PATH"},
    Telling{"cuda-library-mismatch"_cause, "undefined symbol", "libnvJitLink", Ends::by_exception,
            "Libraries of two CUDA versions are mixed: let only the framework's own be found.",
            "unset LD_LIBRARY_PATH; pip install --force-reinstall nvidia-nvjitlink-cu12"},
    Telling{"cuda-library-mismatch"_cause, "undefined symbol", "libcu", Ends::by_exception,
            "Libraries of two CUDA versions are mixed: let only the framework's own be found.",
            "unset LD_LIBRARY_PATH"},
    Telling{"cuda-library-missing"_cause, "Could not load library libcu", "", Ends::library_exits,
            same_cuda, "pip install nvidia-cudnn-cu12"},
    Telling{"cuda-library-missing"_cause, "Unable to load any of {libcu", "", Ends::library_exits,
            same_cuda, "pip install nvidia-cudnn-cu12"},
    Telling{"cuda-library-missing"_cause, "libcu", "cannot open shared object file",
            Ends::by_exception, same_cuda, "ldconfig -p | grep -E 'libcu|libnv'"},
    Telling{"cuda-library-missing"_cause, "libnccl", "cannot open shared object file",
            Ends::by_exception, "Install the NCCL that this build asks for.",
            "pip install nvidia-nccl-cu12"},
    Telling{"cuda-library-missing"_cause, "libnv", "cannot open shared object file",
            Ends::by_exception, same_cuda, "ldconfig -p | grep -E 'libcu|libnv'"},
    Telling{"library-missing"_cause, "cannot open shared object file", "ImportError",
            Ends::by_exception, "Install the package that brings the library named in the message.",
            "ldd module.so | grep 'not found'"},
    Telling{"library-missing"_cause, "cannot open shared object file", "OSError",
            Ends::by_exception, "Install the package that brings the library named in the message.",
            "ldconfig -p | grep NAME"},
    Telling{"library-missing"_cause, "version `", "' not found", Ends::by_exception,
            "The library is there, but too old: update it, or take a build for this system.",
            "conda install -c conda-forge libstdcxx-ng   # for GLIBCXX"},
    Telling{"library-missing"_cause, "undefined symbol: ", "ImportError", Ends::by_exception,
            "The module was built against another version of a library than the one found: "
            "reinstall both from one source.",
            "ldd module.so"},
    Telling{"library-missing"_cause, "undefined symbol: ", "OSError", Ends::by_exception,
            "The library was built against another version of what it uses than the one found: "
            "reinstall both from one source.",
            "ldd library.so; nm -D library.so | grep ' U '"},
    Telling{"library-missing"_cause, "invalid ELF header", "", Ends::by_exception,
            "The file is no library for this system, or was cut short: install it again.",
            "file module.so; pip install --force-reinstall PACKAGE"},
    Telling{"library-missing"_cause, "wrong ELF class", "", Ends::by_exception,
            "The library is for another kind of machine: install the build for this one.",
            "file module.so; uname -m"},
    Telling{"library-missing"_cause, ".so: file too short", "", Ends::by_exception,
            "The library was cut short, by a full disk perhaps: install it again.",
            "df -h; pip install --force-reinstall PACKAGE"},
    Telling{"runtime-clash"_cause, "cannot allocate memory in static TLS block", "",
            Ends::by_exception,
            "The libraries loaded before it have used up the loader's room for thread variables: "
            "import this one first.",
            "import PACKAGE   # as the first line of the program"},
    Telling{"runtime-clash"_cause, "LLVM ERROR: inconsistency in registered CommandLine options",
            "", Ends::by_abort,
            "Two packages bring an LLVM of their own: import the other one first, or keep them in "
            "processes of their own.",
            "python -X importtime train.py 2>&1 | grep -E 'tensorflow|triton|llvmlite|jax'"},
    Telling{"mkl-broken"_cause, "MKL FATAL ERROR", "", Ends::library_exits,
            "Reinstall MKL and NumPy from one source, or use a build without MKL.",
            "conda install nomkl"},
    Telling{"protobuf-clash"_cause, "google::protobuf::FatalException", "", Ends::by_abort,
            "Pin one protobuf version for all packages.", "pip check"},
    Telling{"protobuf-clash"_cause, "Protocol Buffer runtime library", "not compatible",
            Ends::by_abort, "Pin one protobuf version for all packages.", "pip check"},
    Telling{"protobuf-clash"_cause, "Descriptors cannot be created directly", "",
            Ends::by_exception, "Pin protobuf below 4, or regenerate the _pb2.py files.",
            "pip install 'protobuf<4'"},
    Telling{"protobuf-clash"_cause, "incompatible Protobuf Gencode/Runtime versions", "",
            Ends::by_exception, "Update protobuf to the version the generated code was made with.",
            "pip install -U protobuf"},
    Telling{"numpy-abi"_cause, "compiled against ABI version", "", Ends::by_exception, rebuild,
            "pip install --force-reinstall --no-binary :all: PACKAGE"},
    Telling{"numpy-abi"_cause, "compiled against NumPy C-API version", "", Ends::by_exception,
            rebuild, "pip install 'numpy<2'"},
    Telling{"numpy-abi"_cause, "numpy.core.multiarray failed to import", "", Ends::by_exception,
            rebuild, "pip install 'numpy<2'"},
    Telling{"numpy-abi"_cause, "_ARRAY_API not found", "", Ends::by_exception, rebuild,
            "pip install 'numpy<2'"},
    Telling{"numpy-abi"_cause, "numpy.dtype size changed", "", Ends::by_exception, rebuild,
            "pip install --force-reinstall PACKAGE"},
    Telling{"no-display"_cause, "Qt platform plugin", "", Ends::by_abort,
            "Use the headless build of the library, or a backend without a window.",
            "pip install opencv-python-headless   # or QT_QPA_PLATFORM=offscreen"},
    Telling{"no-display"_cause, "no $DISPLAY environment variable", "", Ends::by_exception,
            "Use a backend without a window.", "MPLBACKEND=Agg"},
    Telling{"no-display"_cause, "couldn't connect to display", "", Ends::by_exception,
            "Use a backend without a window, or start a virtual display.",
            "xvfb-run -a python train.py"},
    Telling{"no-display"_cause, "cannot open display", "", Ends::library_exits,
            "Use a backend without a window, or start a virtual display.",
            "xvfb-run -a python train.py"},
    Telling{"emulated-cpu"_cause, "qemu: uncaught target signal", "", Ends::in_any_way,
            "The image is for another CPU and runs under emulation, which has faults of its own: "
            "build or pull it for this one.",
            "docker run --platform=linux/$(uname -m) ..."},
    Telling{"allocator-clash"_cause, "Attempt to free invalid pointer", "", Ends::by_abort,
            "Two allocators are mixed: take the one that is preloaded out.", "env -u LD_PRELOAD"},
    Telling{"driver-too-old"_cause, "driver on your system is too old", "", Ends::by_exception,
            newer_driver, "nvidia-smi"},
    Telling{"driver-too-old"_cause, "CUDA driver version is insufficient", "", Ends::either,
            newer_driver, "nvidia-smi"},
    Telling{"driver-too-old"_cause, "unsupported display driver / cuda driver combination", "",
            Ends::either,
            "The driver's kernel module and its libraries are of two versions: restart the machine "
            "after an update, or make the container use the host's.",
            "cat /proc/driver/nvidia/version; nvidia-smi"},
    Telling{"driver-too-old"_cause, "forward compatibility was attempted on non supported HW", "",
            Ends::either,
            "The compatibility library is for data-centre GPUs only: take it off the library path, "
            "or update the driver.",
            "ls /usr/local/cuda/compat"},
    Telling{"gpu-unsupported"_cause, "no kernel image is available for execution", "", Ends::either,
            "Install a build that has code for this GPU.",
            "python -c 'import torch; print(torch.cuda.get_arch_list())'"},
};

bool fits(const Autopsy& death, const Said& said, Ends ends) {
    const bool exception = exception_decided_exit(death);
    if (ends == Ends::by_exception) return exception;
    if (ends == Ends::in_any_way) return said.final;
    const bool abort = death.by(SIGABRT) && said.final;
    if (ends == Ends::by_abort) return abort;
    if (ends == Ends::either) return exception || abort;
    return exception || abort || (death.exit.code && said.final);
}

// The allocator whose words these are was really there, beside glibc's.
bool preloaded(const Autopsy& death) {
    const CrashEvidence* crash = death.crash;
    return crash != nullptr &&
           std::any_of(crash->runtimes.begin(), crash->runtimes.end(),
                       [](const std::string& name) { return name.starts_with("libtcmalloc"); });
}

}  // namespace

std::optional<Finding> telling_text(const Autopsy& death) {
    for (const Telling& telling : tellings) {
        const std::optional<Said> said = said_last(death, {telling.text});
        if (!said || said->line.find(telling.also) == std::string::npos ||
            !fits(death, *said, telling.ends))
            continue;
        const bool decided =
            death.sure_of_exit() && (telling.cause != "allocator-clash"_cause || preloaded(death));
        return finding_about(death, telling.cause,
                             decided ? Confidence::certain : Confidence::likely,
                             facts::Telling{*said, telling.fix, telling.code});
    }
    return std::nullopt;
}

}  // namespace holdfast::rules
