#include "jupyter/kernelspec_folders.h"

#include <algorithm>
#include <filesystem>

#include "base/environment_variable.h"
#include "base/text.h"

namespace holdfast {

JupyterEnvironment JupyterEnvironment::of_process() {
    JupyterEnvironment environment;
    environment.jupyter_path = environment_variable("JUPYTER_PATH");
    environment.jupyter_data_dir = environment_variable("JUPYTER_DATA_DIR");
    environment.xdg_data_home = environment_variable("XDG_DATA_HOME");
    environment.home = environment_variable("HOME");
    for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
        if (const auto prefix = environment_variable(name)) environment.prefixes.push_back(*prefix);
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (!failed && self.parent_path().filename() == "bin")
        environment.prefixes.push_back(self.parent_path().parent_path());
    return environment;
}

std::optional<std::string> user_kernels(const JupyterEnvironment& environment) {
    if (environment.jupyter_data_dir) return *environment.jupyter_data_dir + "/kernels";
    if (environment.xdg_data_home) return *environment.xdg_data_home + "/jupyter/kernels";
    if (environment.home) return *environment.home + "/.local/share/jupyter/kernels";
    return std::nullopt;
}

std::string prefix_kernels(const std::string& prefix) { return prefix + "/share/jupyter/kernels"; }

std::vector<std::string> kernel_folders(const JupyterEnvironment& environment) {
    std::vector<std::string> folders;
    const auto add = [&](const std::string& folder) {
        if (std::find(folders.begin(), folders.end(), folder) == folders.end())
            folders.push_back(folder);
    };
    if (environment.jupyter_path)
        for (const std::string_view part : split(*environment.jupyter_path, ':'))
            if (!part.empty()) add(std::string(part) + "/kernels");
    if (const auto user = user_kernels(environment)) add(*user);
    for (const std::string& prefix : environment.prefixes) add(prefix_kernels(prefix));
    for (const std::string& folder : environment.system) add(folder + "/kernels");
    return folders;
}

}  // namespace holdfast
