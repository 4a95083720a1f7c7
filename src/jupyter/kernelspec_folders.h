// Where Jupyter looks for kernels.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace holdfast {

// The values the answer depends on, injected. An empty variable counts as unset.
struct JupyterEnvironment {
    std::optional<std::string> jupyter_path, jupyter_data_dir, xdg_data_home, home;
    std::vector<std::string> prefixes;  // of Python environments, the nearest first
    std::vector<std::string> system = {"/usr/local/share/jupyter", "/usr/share/jupyter"};

    // Prefixes: VIRTUAL_ENV, CONDA_PREFIX, and the one this program is installed in.
    static JupyterEnvironment of_process();
};

// ".../kernels" each, the first that has a name wins.
std::vector<std::string> kernel_folders(const JupyterEnvironment& environment);

// Where `--user` puts one; nothing without a home.
std::optional<std::string> user_kernels(const JupyterEnvironment& environment);
std::string prefix_kernels(const std::string& prefix);

}  // namespace holdfast
