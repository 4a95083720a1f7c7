#include "jupyter/kernelspec_store.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/environment_variable.h"
#include "base/format.h"
#include "base/read_file.h"
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

namespace {

namespace fs = std::filesystem;

constexpr const char* file_name = "kernel.json";
constexpr std::size_t size_limit = 1U << 20U;

Result<Kernelspec> read_spec(const fs::path& folder) {
    const std::string path = folder / file_name;
    const auto text = read_file(path, size_limit);
    if (!text) return text.error();
    return Kernelspec::parse(*text).context(path);
}

// Writes another file and renames it: a server that lists kernels meanwhile sees the old one or the
// new one.
Status write_spec(const fs::path& folder, const Kernelspec& spec) {
    const fs::path beside = folder / "kernel.json.holdfast-new";
    std::ofstream file(beside, std::ios::trunc);
    file << spec.text();
    file.close();
    std::error_code failed;
    if (!file.fail()) fs::rename(beside, folder / file_name, failed);
    if (!file.fail() && !failed) return Done{};
    const Error error = Error::from_errno("cannot write " + (folder / file_name).string());
    fs::remove(beside, failed);
    return error;
}

void copy_resources(const std::string& from, const fs::path& into) {
    if (from.empty()) return;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(from, failed)) {
        std::error_code skipped;  // an unreadable logo must not prevent the installation
        if (entry.path().filename() != file_name)
            fs::copy(entry.path(), into / entry.path().filename(),
                     fs::copy_options::recursive | fs::copy_options::overwrite_existing, skipped);
    }
}

std::string in_words(const Kernelspec& spec, const std::string& name) {
    const std::string shown = spec.display_name().empty() ? name : spec.display_name();
    return shown.ends_with(" + Holdfast") ? shown : shown + " + Holdfast";
}

}  // namespace

std::vector<InstalledKernel> find_kernels(const std::vector<std::string>& folders) {
    std::vector<InstalledKernel> kernels;
    for (const std::string& folder : folders) {
        std::error_code failed;
        for (const auto& entry : fs::directory_iterator(folder, failed)) {
            const std::string name = entry.path().filename();
            const bool known = std::any_of(kernels.begin(), kernels.end(),
                                           [&](const auto& kernel) { return kernel.name == name; });
            if (known || !is_kernel_name(name)) continue;
            if (auto spec = read_spec(entry.path()))
                kernels.push_back({name, entry.path(), std::move(*spec)});
        }
    }
    std::sort(kernels.begin(), kernels.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return kernels;
}

Result<InstalledKernel> find_kernel(const std::vector<std::string>& folders,
                                    const std::string& word) {
    std::vector<fs::path> places;
    if (word.find('/') != word.npos)
        places.emplace_back(word.ends_with('/') ? word.substr(0, word.size() - 1) : word);
    else
        for (const std::string& folder : folders) places.push_back(fs::path(folder) / word);
    for (const fs::path& place : places) {
        auto spec = read_spec(place);
        if (spec) return InstalledKernel{place.filename(), place, std::move(*spec)};
        if (spec.error().number != ENOENT && spec.error().number != ENOTDIR) return spec.error();
    }
    return Error{formatted("no kernel '{}'; holdfast kernel list shows all of them", word), ENOENT};
}

Result<std::string> watch_kernel(const KernelToWatch& plan) {
    if (!is_kernel_name(plan.name))
        return Error{
            formatted("'{}' is no name for a kernel: letters, digits, '.', '-' and '_' "
                      "only",
                      plan.name)};
    const fs::path folder = fs::path(plan.into) / plan.name;
    const auto there = read_spec(folder);
    std::error_code failed;
    const bool wraps_itself =
        there && !plan.resources.empty() && fs::equivalent(plan.resources, folder, failed);
    if (there && !there->is_watched() && !wraps_itself)
        return Error{
            formatted("{} is already a kernel, and Holdfast did not make it; choose another --name",
                      folder.string())};
    const Kernelspec original = plan.spec.unwatched().value_or(plan.spec);
    Kernelspec spec = original.watched(plan.holdfast, plan.program, plan.guard);
    spec.set_display_name(plan.display_name.empty() ? in_words(original, plan.name)
                                                    : plan.display_name);
    if (wraps_itself && (!there->is_watched() || there->is_in_place())) spec.set_in_place();
    fs::create_directories(folder, failed);
    if (failed) return Error{formatted("cannot make {}: {}", folder.string(), failed.message())};
    if (!wraps_itself) copy_resources(plan.resources, folder);
    if (const Status written = write_spec(folder, spec); !written) return written.error();
    return folder.string();
}

Status remove_kernel(const InstalledKernel& kernel) {
    if (!kernel.spec.is_watched())
        return Error{
            formatted("'{}' is not one of ours; remove it with: jupyter kernelspec "
                      "remove {}",
                      kernel.name, kernel.name)};
    if (kernel.spec.is_in_place())
        if (const auto original = kernel.spec.unwatched())
            return write_spec(kernel.folder, *original);
    std::error_code failed;
    fs::remove_all(kernel.folder, failed);
    if (failed) return Error{formatted("cannot remove {}: {}", kernel.folder, failed.message())};
    return Done{};
}

}  // namespace holdfast
