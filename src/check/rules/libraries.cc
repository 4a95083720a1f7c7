// Shared libraries that are missing, of a wrong version, loaded twice, or not the intended ones.
#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "check/paths.h"
#include "check/rules/rules.h"
#include "check/version.h"

namespace holdfast::check::rules {
namespace {

bool is_cuda_library(std::string_view soname) {
    constexpr std::array starts{"libcudnn",   "libcublas",    "libcudart",    "libcufft",
                                "libcurand",  "libcusolver",  "libcusparse",  "libnccl",
                                "libnvrtc",   "libcupti",     "libnvJitLink", "libcufile",
                                "libnvshmem", "libnvToolsExt"};
    return std::any_of(starts.begin(), starts.end(),
                       [&](std::string_view start) { return soname.starts_with(start); });
}

// If a framework lacks it, the import fails; if another package does, only what uses it.
Severity severity_of(const LibraryLookup& lookup) {
    return lookup.by.find("/site-packages/torch/lib/") != std::string::npos ||
                   lookup.by.find("/tensorflow/") != std::string::npos
               ? Severity::blocks
               : Severity::will_hurt;
}

void judge_missing(const Environment& environment, bool cuda, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    if (python->lookups.empty()) return judgement.impossible("no library of a package was read");
    std::vector<std::string> told;
    for (const LibraryLookup& lookup : python->lookups) {
        if (!lookup.found.empty() || is_cuda_library(lookup.library) != cuda) continue;
        if (std::find(told.begin(), told.end(), lookup.library) != told.end()) continue;
        told.push_back(lookup.library);
        const bool graphics = lookup.library.starts_with("libGL");
        judgement.find(
            severity_of(lookup), cuda ? "cuda-library-missing"_cause : "library-missing"_cause,
            formatted("{} needs {}, which the loader cannot find: its import fails.",
                      base_name(lookup.by), lookup.library),
            {{lookup.by, "NEEDED " + lookup.library},
             {"loader",
              "not in RPATH, LD_LIBRARY_PATH, RUNPATH, /etc/ld.so.cache, the usual "
              "folders"}},
            {{cuda       ? "Install the package that has it, or reinstall the framework."
              : graphics ? "Install the headless build."
                         : "Install the library.",
              cuda       ? formatted("{} -m pip install --force-reinstall torch", python->program)
              : graphics ? formatted("{} -m pip install opencv-python-headless", python->program)
                         : formatted("apt-file search {}", lookup.library)}});
    }
}

// "libcudnn_ops.so.9.19.0" -> "9.19.0"
std::string version_in_name(std::string_view path) {
    const std::string_view name = base_name(path);
    const std::size_t at = name.find(".so.");
    return at == std::string_view::npos ? std::string() : std::string(name.substr(at + 4));
}

const Package* cudnn_package(const Python& python) {
    for (const char* name : {"nvidia-cudnn-cu13", "nvidia-cudnn-cu12", "nvidia-cudnn-cu11"})
        if (const Package* package = python.package(name)) return package;
    return nullptr;
}

}  // namespace

void library_missing(const Environment& e, CheckResult& j) { judge_missing(e, false, j); }
void cuda_library_missing(const Environment& e, CheckResult& j) { judge_missing(e, true, j); }

void symbols_missing(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    if (python->extensions.empty())
        return judgement.impossible("no extension module lies in the working directory");
    for (const Extension& extension : python->extensions) {
        if (extension.missing.empty()) continue;
        const std::size_t more = extension.missing.size() - 1;
        judgement.find(
            Severity::will_hurt, "library-missing"_cause,
            formatted("{} needs the symbol {}{}, which none of its libraries has: `import {}` "
                      "fails.",
                      base_name(extension.file), extension.missing.front(),
                      more > 0 ? formatted(" (and {} more)", more) : std::string(),
                      extension.module),
            {{extension.file, "undefined symbol: " + extension.missing.front()}},
            {{"Build it again, against the libraries that are installed.",
              formatted("{} -m pip install --no-build-isolation --force-reinstall .",
                        python->program)}});
    }
}

void wrong_cudnn(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    const Package* installed = cudnn_package(*python);
    if (installed == nullptr) return judgement.impossible("no cuDNN package is installed");
    for (const LibraryLookup& lookup : python->lookups) {
        if (!lookup.library.starts_with("libcudnn") || lookup.how != "LD_LIBRARY_PATH") continue;
        if (lookup.found.starts_with(installed->site + "/nvidia/")) continue;
        const std::string version = version_in_name(lookup.found);
        const auto wanted = parse_version(installed->metadata.version);
        const auto have = parse_version(version);
        if (!wanted || !have || have->release.size() < 2) continue;
        if (wanted->part(0) == have->part(0) && wanted->part(1) == have->part(1)) continue;
        return judgement.find(
            Severity::will_hurt, "cuda-library-mismatch"_cause,
            formatted("LD_LIBRARY_PATH puts cuDNN {} in front of the {} that is installed with the "
                      "framework: parts of both are mixed.",
                      version, installed->metadata.version),
            {{lookup.found, "through LD_LIBRARY_PATH"},
             {installed->folder, installed->metadata.version}},
            {{"Take its folder out of LD_LIBRARY_PATH.", "unset LD_LIBRARY_PATH"}});
    }
}

void cuda_library_path(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    if (python->lookups.empty()) return judgement.impossible("no library of a package was read");
    for (const LibraryLookup& lookup : python->lookups) {
        if (!is_cuda_library(lookup.library) || lookup.library.starts_with("libcudnn")) continue;
        if (lookup.how != "LD_LIBRARY_PATH" || lookup.by == "cuDNN") continue;
        // The framework brought its own, but the variable comes first.
        const bool own = std::any_of(
            python->packages.begin(), python->packages.end(), [](const Package& package) {
                return package.metadata.name.starts_with("nvidia-cublas") ||
                       package.metadata.name.starts_with("nvidia-nccl");
            });
        if (!own) continue;
        return judgement.find(
            Severity::note, "cuda-library-mismatch"_cause,
            formatted("{} comes from {} by LD_LIBRARY_PATH, not from the packages installed with "
                      "the framework.",
                      lookup.library, folder_of(lookup.found)),
            {{lookup.found, "through LD_LIBRARY_PATH"}, {lookup.by, "NEEDED " + lookup.library}},
            {{"Remove the folder unless this is intended.", "unset LD_LIBRARY_PATH"}});
    }
}

void library_versions(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    if (python->lookups.empty()) return judgement.impossible("no library of a package was read");
    std::vector<std::string> told;
    for (const VersionGap& gap : python->gaps) {
        if (std::find(told.begin(), told.end(), gap.library) != told.end()) continue;
        told.push_back(gap.library);
        // A process has a single libc; but another libstdc++ may be loaded earlier.
        const bool libc = gap.version.starts_with("GLIBC_");
        judgement.find(
            libc ? Severity::blocks : Severity::will_hurt, "library-missing"_cause,
            formatted("{} needs {}, which {} does not have: its import fails.", base_name(gap.by),
                      gap.version, gap.library),
            {{gap.by, "needs " + gap.version}, {gap.library, "found by " + gap.how}},
            {{libc ? "Install a build for this older system."
              : gap.how == "LD_LIBRARY_PATH"
                  ? "Take the folder with the older library out of LD_LIBRARY_PATH."
                  : "Update the environment's library.",
              libc                           ? ""
              : gap.how == "LD_LIBRARY_PATH" ? "unset LD_LIBRARY_PATH"
                                             : "conda install -c conda-forge 'libstdcxx-ng>=13'"}});
    }
}

void openmp_twice(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    // Intel's and LLVM's detect each other and abort; GNU's tolerates them and a second copy of
    // itself.
    std::vector<const OpenMpCopy*> copies;
    for (const OpenMpCopy& copy : python->openmp)
        if (copy.kind != "libgomp") copies.push_back(&copy);
    if (copies.size() < 2) return;
    judgement.find(
        Severity::will_hurt, "openmp-duplicate"_cause,
        formatted("{} and {} are two OpenMP runtimes: if both are loaded into one process, the "
                  "second ends it "
                  "(OMP: Error #15).",
                  copies[0]->path, copies[1]->path),
        {{copies[0]->path, copies[0]->package}, {copies[1]->path, copies[1]->package}},
        {{"Keep one: install both packages from one source, all by pip or all by conda.", ""}});
}

void openmp_silenced(const Environment& environment, CheckResult& judgement) {
    const std::string* value = environment.variable("KMP_DUPLICATE_LIB_OK");
    if (value == nullptr ||
        (*value != "TRUE" && *value != "True" && *value != "true" && *value != "1"))
        return;
    judgement.find(Severity::note, "openmp-duplicate"_cause,
                   formatted("KMP_DUPLICATE_LIB_OK={} lets two OpenMP runtimes into one process: "
                             "crashes and wrong results are then possible.",
                             *value),
                   {{"KMP_DUPLICATE_LIB_OK", *value}},
                   {{"Remove the second runtime instead.", "unset KMP_DUPLICATE_LIB_OK"}});
}

void mkl_kernels(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    if (!python->mkl_folder) return judgement.impossible("MKL is not installed");
    const auto has = [&](std::string_view start) {
        return std::any_of(python->mkl_files.begin(), python->mkl_files.end(),
                           [&](const std::string& name) { return name.starts_with(start); });
    };
    // Any of these is enough: MKL falls back to "def".
    if (has("libmkl_def.so")) return;
    if (environment.cpu && environment.cpu->has("avx2") && has("libmkl_avx2.so")) return;
    if (environment.cpu && environment.cpu->has("avx512f") && has("libmkl_avx512.so")) return;
    judgement.find(
        Severity::will_hurt, "mkl-broken"_cause,
        formatted("MKL in {} has no kernels for this processor: neither libmkl_def.so "
                  "nor one for its instructions.",
                  *python->mkl_folder),
        {{*python->mkl_folder, formatted("{} files of MKL", python->mkl_files.size())}},
        {{"Reinstall it.", formatted("{} -m pip install --force-reinstall mkl", python->program)}});
}

void preloaded_allocators(const Environment& environment, CheckResult& judgement) {
    const std::string* value = environment.variable("LD_PRELOAD");
    if (value == nullptr) return;
    std::vector<std::string> allocators;
    std::string text = *value;
    std::replace(text.begin(), text.end(), ':', ' ');
    for (std::string_view rest = text; const auto word = next_word(rest);) {
        const std::string_view name = base_name(*word);
        for (const std::string_view known : {"libjemalloc", "libtcmalloc", "libmimalloc"})
            if (name.starts_with(known)) allocators.emplace_back(*word);
    }
    if (allocators.empty()) return;
    const bool two = allocators.size() > 1;
    judgement.find(two ? Severity::will_hurt : Severity::note, "allocator-clash"_cause,
                   two ? formatted("LD_PRELOAD names two allocators, {} and {}: a block of one may "
                                   "be handed to the other.",
                                   allocators[0], allocators[1])
                       : formatted("LD_PRELOAD puts the allocator {} into every process: "
                                   "libraries that bring their own may clash with it.",
                                   allocators[0]),
                   {{"LD_PRELOAD", *value}},
                   {{two ? "Keep one of them." : "Unset it if the program crashes in free().",
                     "unset LD_PRELOAD"}});
}

void runtime_clash(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    const OpenMpCopy* gnu = nullptr;
    const OpenMpCopy* intel = nullptr;
    for (const OpenMpCopy& copy : python->openmp) {
        if (copy.kind == "libgomp") gnu = &copy;
        if (copy.kind == "libiomp5") intel = &copy;
    }
    if (gnu == nullptr || intel == nullptr) return;
    const Package* runtime = python->package("intel-openmp");
    const auto version = runtime != nullptr ? parse_version(runtime->metadata.version)
                                            : std::optional<PackageVersion>();
    // Before 2020 Intel's runtime took over only half of GNU's calls.
    const bool old = version && version->part(0) < 2020;
    judgement.find(
        old ? Severity::will_hurt : Severity::note, "runtime-clash"_cause,
        formatted("{} and {} may meet in one process{}.", intel->path, gnu->path,
                  old ? formatted(", and Intel's OpenMP {} serves only half of what GNU's "
                                  "callers ask for",
                                  runtime->metadata.version)
                      : std::string()),
        {{intel->path, intel->package}, {gnu->path, gnu->package}},
        {{"Bring Intel's up to date, or keep one.",
          formatted("{} -m pip install --upgrade intel-openmp", python->program)}});
}

void no_display(const Environment& environment, CheckResult& judgement) {
    if (environment.variable("DISPLAY") != nullptr ||
        environment.variable("WAYLAND_DISPLAY") != nullptr)
        return;
    for (const char* name : {"MPLBACKEND", "QT_QPA_PLATFORM"}) {
        const std::string* value = environment.variable(name);
        if (value == nullptr) continue;
        std::string lower = *value;
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
        constexpr std::array windows{"tkagg",   "qtagg", "qt5agg", "qt6agg", "gtk3agg",
                                     "gtk4agg", "wxagg", "xcb",    "wayland"};
        if (std::find(windows.begin(), windows.end(), lower) == windows.end()) continue;
        judgement.find(Severity::will_hurt, "no-display"_cause,
                       formatted("{}={} opens windows, and there is no display: neither DISPLAY "
                                 "nor WAYLAND_DISPLAY is set.",
                                 name, *value),
                       {{name, *value}, {"DISPLAY", "not set"}},
                       {{"Draw into files.", std::string_view(name) == "MPLBACKEND"
                                                 ? "export MPLBACKEND=Agg"
                                                 : "export QT_QPA_PLATFORM=offscreen"}});
    }
}

}  // namespace holdfast::check::rules
