// Kernelspecs on disk: where Jupyter looks for them, and how they are made watched and restored.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "jupyter/kernelspec.h"

namespace holdfast {

// The values the answer depends on, injected. An empty variable counts as unset.
struct JupyterEnvironment {
    std::optional<std::string> jupyter_path, jupyter_data_dir, xdg_data_home, home;
    std::vector<std::string> prefixes;  // of Python environments, the nearest first
    std::vector<std::string> system = {"/usr/local/share/jupyter", "/usr/share/jupyter"};

    // Prefixes: VIRTUAL_ENV, CONDA_PREFIX, and the one this program is installed in.
    static JupyterEnvironment of_process();
};

// Paths ".../kernels"; the first that has a name wins.
std::vector<std::string> kernel_folders(const JupyterEnvironment& environment);

// Where `--user` puts a kernelspec; nothing without a home.
std::optional<std::string> user_kernels(const JupyterEnvironment& environment);
std::string prefix_kernels(const std::string& prefix);

struct InstalledKernel {
    std::string name;
    std::string folder;  // that holds its kernel.json
    Kernelspec spec;
};

// The kernels that Jupyter would offer, by name; if several have one name, that of the first
// folder. Leaves out unreadable ones.
std::vector<InstalledKernel> find_kernels(const std::vector<std::string>& folders);

// By name, or by the path of its folder (anything with a '/').
Result<InstalledKernel> find_kernel(const std::vector<std::string>& folders,
                                    const std::string& word);

struct KernelToWatch {
    Kernelspec spec;
    std::string resources;  // a folder whose other files (logos) go with it; may be empty
    std::string name;
    std::string display_name;  // empty: chosen
    std::string program;       // in place of the first word; may be empty
    std::string guard;         // its mode; empty: the environment decides when the kernel starts
    std::string into;          // a ".../kernels"
    std::string holdfast;      // our own program
};

// Returns the folder that was written. An existing kernelspec of this name is an error if it is not
// ours, unless it is the one that is wrapped: that one is kept inside, and remove_kernel brings it
// back.
Result<std::string> watch_kernel(const KernelToWatch& plan);

// Removes only our own kernelspecs; for another, the error says how to remove it.
Status remove_kernel(const InstalledKernel& kernel);

}  // namespace holdfast
