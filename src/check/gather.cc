#include "check/gather.h"

#include <array>

namespace holdfast::check {
namespace {

// Reads no other variables: they may be secrets.
constexpr std::array watched_variables{
    "HOME",
    "PATH",
    "TMPDIR",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "PYTHONPATH",
    "PYTHONNOUSERSITE",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "KMP_DUPLICATE_LIB_OK",
    "CUDA_VISIBLE_DEVICES",
    "TF_FORCE_GPU_ALLOW_GROWTH",
    "XLA_PYTHON_CLIENT_PREALLOCATE",
    "MPLBACKEND",
    "QT_QPA_PLATFORM",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "HF_HOME",
    "TORCH_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "JUPYTER_PATH",
    "JUPYTER_DATA_DIR",
    "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION",
};

}  // namespace

const Package* Python::package(std::string_view name) const {
    for (const Package& one : packages)
        if (one.metadata.name == name) return &one;
    return nullptr;
}

const Framework* Python::framework(std::string_view name) const {
    for (const Framework& one : frameworks)
        if (one.name == name) return &one;
    return nullptr;
}

Environment gather(Sight& sight, const GatherOptions& options) {
    Environment environment;
    environment.wanted = options.wanted;
    for (const char* name : watched_variables)
        if (auto value = sight.variable(name)) environment.variables[name] = std::move(*value);
    environment.directory =
        options.directory.empty() ? sight.link("/proc/self/cwd").value_or("") : options.directory;
    gather_host(sight, environment, options.pid);
    gather_places(sight, environment);
    if (!options.quick) gather_health(sight, environment);
    gather_nvidia(sight, environment, !options.quick);
    if (options.packages) {
        gather_python(sight, environment, options);
        gather_libraries(sight, environment);
        gather_symbols(sight, environment);
    }
    if (!options.quick) gather_kernels(sight, environment);
    return environment;
}

}  // namespace holdfast::check
