// The notebook kernels that Jupyter would offer, and the Pythons they start.
#include <set>

#include "base/text.h"
#include "check/gather.h"
#include "check/paths.h"
#include "jupyter/kernelspec.h"
#include "jupyter/kernelspec_store.h"

namespace holdfast::check {
namespace {

bool is_kernel(std::string_view name) { return is_kernel_name(name); }
bool is_python_lib(std::string_view name) { return name.starts_with("python3."); }

std::optional<std::string> optional_of(const std::string* value) {
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

std::optional<bool> ipykernel_beside(Sight& sight, const std::string& program) {
    const std::string prefix = folder_of(folder_of(program));
    const auto folders = sight.list(prefix + "/lib", is_python_lib);
    if (!folders || folders->empty() || prefix == "/usr") return std::nullopt;
    for (const std::string& folder : *folders)
        if (sight.exists(prefix + "/lib/" + folder + "/site-packages/ipykernel")) return true;
    // A user's own site-packages or a parent environment may have it.
    const auto config = sight.read(prefix + "/pyvenv.cfg", 16U << 10U);
    if (!config || config->find("include-system-site-packages = true") != std::string::npos)
        return std::nullopt;
    return false;
}

}  // namespace

void gather_kernels(Sight& sight, Environment& environment) {
    JupyterEnvironment jupyter;
    jupyter.jupyter_path = optional_of(environment.variable("JUPYTER_PATH"));
    jupyter.jupyter_data_dir = optional_of(environment.variable("JUPYTER_DATA_DIR"));
    jupyter.xdg_data_home = optional_of(environment.variable("XDG_DATA_HOME"));
    jupyter.home = optional_of(environment.variable("HOME"));
    const Python* python = environment.python ? &*environment.python : nullptr;
    if (python != nullptr && !python->prefix.empty()) jupyter.prefixes.push_back(python->prefix);
    std::set<std::string> names;
    for (const std::string& folder : kernel_folders(jupyter))
        for (const std::string& name :
             sight.list(folder, is_kernel).value_or(std::vector<std::string>())) {
            if (environment.kernels.size() >= 64 || !names.insert(name).second) continue;
            const std::string file = folder + '/' + name + "/kernel.json";
            const auto text = sight.read(file, 256U << 10U);
            const auto spec = text ? Kernelspec::parse(*text) : Result<Kernelspec>(Error{});
            if (!spec) continue;
            const auto inner = spec->unwatched();
            const auto argv = inner ? inner->argv() : spec->argv();
            if (argv.empty()) continue;
            Kernel kernel;
            kernel.name = name;
            kernel.file = file;
            kernel.program = argv[0];
            kernel.watched = spec->is_watched();
            for (const std::string& word : argv)
                if (word.find("ipykernel") != std::string::npos) kernel.python = true;
            const bool path = kernel.program.starts_with('/');
            kernel.program_exists = !path || sight.exists(kernel.program);
            kernel.of_environment = !path || (python != nullptr && !python->prefix.empty() &&
                                              kernel.program.starts_with(python->prefix + '/'));
            if (path && kernel.program_exists)
                kernel.has_ipykernel = ipykernel_beside(sight, kernel.program);
            environment.kernels.push_back(std::move(kernel));
        }
}

}  // namespace holdfast::check
