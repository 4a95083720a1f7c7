// The Python environment, read from its files: nothing of it is run.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "check/gather.h"
#include "check/paths.h"
#include "check/version.h"

namespace holdfast::check {
namespace {

// Only for these the METADATA is read; for others the folder's name and version are enough.
constexpr std::array read_packages{
    "torch",
    "torchvision",
    "torchaudio",
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-intel",
    "keras",
    "tf-keras",
    "jax",
    "jaxlib",
    "numpy",
    "scipy",
    "pandas",
    "scikit-learn",
    "numba",
    "transformers",
    "lightning",
    "pytorch-lightning",
    "accelerate",
    "tensorboard",
    "onnx",
    "opencv-python",
    "xformers",
    "protobuf",
    "matplotlib",
    "torchmetrics",
    "datasets",
    "jax-cuda12-plugin",
    "jax-cuda13-plugin",
};

bool is_read(std::string_view name) {
    return std::find(read_packages.begin(), read_packages.end(), name) != read_packages.end();
}

// Debian's own packages have the older form, which conda and setuptools leave behind, too.
bool is_package_info(std::string_view name) {
    return name.ends_with(".dist-info") || name.ends_with(".egg-info");
}

bool is_python_folder(std::string_view name) {
    return name.starts_with("python3.") && parse_number<unsigned>(name.substr(8)).has_value();
}

std::optional<std::string> config_value(std::string_view text, std::string_view key) {
    while (const auto line = next_line(text)) {
        const std::size_t equals = line->find('=');
        if (equals == std::string_view::npos || trim(line->substr(0, equals)) != key) continue;
        return std::string(trim(line->substr(equals + 1)));
    }
    return std::nullopt;
}

std::string find_program(Sight& sight, const Environment& environment, const std::string& asked) {
    if (asked.starts_with('/')) return asked;
    if (asked.find('/') != std::string::npos)
        return tidy(joined(environment.directory.empty() ? "/" : environment.directory, asked));
    if (asked.empty())
        for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
            if (const std::string* prefix = environment.variable(name))
                if (std::string file = *prefix + "/bin/python"; sight.exists(file)) return file;
    std::vector<std::string> folders = folders_in(environment.variable("PATH"));
    if (folders.empty()) folders = {"/usr/local/bin", "/usr/bin"};
    const std::vector<std::string> names =
        asked.empty() ? std::vector<std::string>{"python3", "python"} : std::vector{asked};
    for (const std::string& name : names)
        for (const std::string& folder : folders)
            if (std::string file = joined(folder, name); sight.exists(file)) return file;
    return {};
}

// pyenv's shims are scripts; a file says which version they would start.
std::string behind_shim(Sight& sight, const std::string& directory, const std::string& program) {
    const std::string folder = folder_of(program);
    if (!folder.ends_with("/shims")) return program;
    const std::string root = folder_of(folder);
    for (const std::string& file : {directory + "/.python-version", root + "/version"}) {
        const auto text = sight.read(file, 4096);
        if (!text) continue;
        std::string_view rest = *text;
        const std::string version(trim(next_line(rest).value_or("")));
        if (version == "system") return "/usr/bin/python3";
        std::string inside = root + "/versions/" + version + "/bin/python3";
        if (!version.empty() && sight.exists(inside)) return inside;
    }
    return program;
}

void add_site(Sight& sight, Python& python, const std::string& folder) {
    const bool known =
        std::find(python.sites.begin(), python.sites.end(), folder) != python.sites.end();
    if (!known && sight.exists(folder)) python.sites.push_back(folder);
}

// "torch-2.11.0+cu130.dist-info", "numpy-1.24.2-py3.11.egg-info"
Metadata from_folder(std::string_view name) {
    name = name.substr(0, name.rfind('.'));
    const auto parts = split(name, '-');
    if (parts.size() < 2) return {};
    return {normalised(parts[0]), std::string(parts[1]), {}};
}

void read_site(Sight& sight, Python& python, const std::string& site) {
    const MarkerWorld world{python.version, python.machine};
    for (const std::string& name :
         sight.list(site, is_package_info).value_or(std::vector<std::string>())) {
        if (python.packages.size() >= 5000) return;
        Package package{from_folder(name), joined(site, name), site};
        if (package.metadata.name.empty()) continue;
        if (is_read(package.metadata.name))
            if (const auto text = sight.read(package.folder + "/METADATA", 256U << 10U)) {
                Metadata metadata = parse_metadata(*text, world);
                if (metadata.name == package.metadata.name && !metadata.version.empty())
                    package.metadata = std::move(metadata);
            }
        python.packages.push_back(std::move(package));
    }
}

// `cuda: Optional[str] = '13.0'` -> "13.0"; None is "".
std::optional<std::string> python_constant(std::string_view text, std::string_view name) {
    while (const auto line = next_line(text)) {
        if (!line->starts_with(name)) continue;
        const std::string_view rest = line->substr(name.size());
        if (rest.empty() || (rest[0] != ':' && rest[0] != ' ' && rest[0] != '=')) continue;
        const std::size_t equals = rest.find('=');
        if (equals == std::string_view::npos) continue;
        std::string_view value = trim(rest.substr(equals + 1));
        if (value == "None") return "";
        if (value.size() >= 2 && (value[0] == '\'' || value[0] == '"') && value.back() == value[0])
            return std::string(value.substr(1, value.size() - 2));
    }
    return std::nullopt;
}

// 'cuda_version': '12.5.1' or ('cuda_version', '12.5.1'), as TensorFlow's build_info.py has it.
std::string_view behind_key(std::string_view text, std::string_view key) {
    for (const char quote : {'\'', '"'}) {
        const std::string word = quote + std::string(key) + quote;
        if (const std::size_t at = text.find(word); at != std::string_view::npos)
            return text.substr(at + word.size());
    }
    return {};
}

std::string next_quoted(std::string_view& rest) {
    const std::size_t begin = rest.find_first_of("'\"");
    if (begin == std::string_view::npos) return rest = {}, "";
    const std::size_t end = rest.find(rest[begin], begin + 1);
    if (end == std::string_view::npos) return rest = {}, "";
    std::string text(rest.substr(begin + 1, end - begin - 1));
    rest.remove_prefix(end + 1);
    return text;
}

Framework framework_of(const char* name, const Package& package, const std::string& file) {
    Framework framework;
    framework.name = name;
    framework.version = package.metadata.version;
    framework.cuda_file = file;
    return framework;
}

void read_torch(Sight& sight, Python& python, bool scan) {
    const Package* package = python.package("torch");
    if (package == nullptr) return;
    Framework torch = framework_of("torch", *package, package->site + "/torch/version.py");
    if (const auto text = sight.read(torch.cuda_file, 64U << 10U)) {
        const auto cuda = python_constant(*text, "cuda");
        const auto hip = python_constant(*text, "hip");
        if (cuda && !cuda->empty()) torch.cuda = *cuda;
        torch.cpu_only = cuda && cuda->empty() && (!hip || hip->empty());
        if (const auto xpu = python_constant(*text, "xpu"); xpu && !xpu->empty())
            torch.cpu_only = false;
        if (auto version = python_constant(*text, "__version__"); version && !version->empty())
            torch.version = *version;
    }
    if (torch.cuda && scan) {
        torch.gpu_code_file = package->site + "/torch/lib/libtorch_python.so";
        if (const auto code = sight.gpu_code(torch.gpu_code_file))
            for (std::string_view rest = *code; const auto word = next_word(rest);)
                torch.gpu_code.emplace_back(*word);
    }
    python.frameworks.push_back(std::move(torch));
}

void read_tensorflow(Sight& sight, Python& python) {
    const Package* package = nullptr;
    for (const char* name : {"tensorflow", "tensorflow-cpu", "tensorflow-intel"})
        if (package == nullptr) package = python.package(name);
    if (package == nullptr) return;
    Framework framework = framework_of("tensorflow", *package,
                                       package->site + "/tensorflow/python/platform/build_info.py");
    if (const auto text = sight.read(framework.cuda_file, 64U << 10U)) {
        const std::string_view built = trim(behind_key(*text, "is_cuda_build"));
        framework.cpu_only = built.substr(0, 12).find("False") != std::string_view::npos;
        if (std::string_view rest = behind_key(*text, "cuda_version"); !rest.empty())
            if (std::string cuda = next_quoted(rest); !cuda.empty()) framework.cuda = cuda;
        if (std::string_view rest = behind_key(*text, "cuda_compute_capabilities"); !rest.empty()) {
            std::string_view list = rest.substr(0, rest.find(']'));
            while (framework.gpu_code.size() < 64) {
                std::string code = next_quoted(list);
                if (code.empty()) break;
                framework.gpu_code.push_back(std::move(code));
            }
            framework.gpu_code_file = framework.cuda_file;
        }
    }
    python.frameworks.push_back(std::move(framework));
}

void read_jax(Python& python) {
    const Package* package = python.package("jax");
    if (package == nullptr) return;
    Framework jax = framework_of("jax", *package, package->folder);
    for (const char* number : {"13", "12", "11"})
        if (const Package* plugin = python.package(std::string("jax-cuda") + number + "-plugin")) {
            jax.cuda = number;
            jax.cuda_file = plugin->folder;
            break;
        }
    jax.cpu_only = !jax.cuda && python.package("jaxlib") != nullptr &&
                   python.package("jax-rocm60-plugin") == nullptr;
    python.frameworks.push_back(std::move(jax));
}

// A file of this name in the working directory is imported in place of the module.
bool is_shadow(std::string_view name) {
    constexpr std::array modules{"torch",        "numpy",  "tensorflow", "keras",  "jax",
                                 "pandas",       "random", "logging",    "types",  "typing",
                                 "queue",        "copy",   "math",       "json",   "string",
                                 "statistics",   "select", "socket",     "signal", "threading",
                                 "transformers", "sklearn"};
    if (!name.ends_with(".py")) return false;
    name.remove_suffix(3);
    return std::find(modules.begin(), modules.end(), name) != modules.end();
}

}  // namespace

void gather_python(Sight& sight, Environment& environment, const GatherOptions& options) {
    const std::string& asked = options.python;
    Python python;
    python.program =
        behind_shim(sight, environment.directory, find_program(sight, environment, asked));
    if (python.program.empty() || !sight.exists(python.program)) {
        python.unknown_because = asked.empty() ? "no Python was found" : "there is no " + asked;
        python.program.clear();
        environment.python = std::move(python);
        return;
    }
    python.prefix = folder_of(folder_of(python.program));
    const std::string real = followed(sight, python.program);
    if (const auto facts = sight.elf(real))
        python.machine = facts->machine == 62 ? "x86_64" : facts->machine == 183 ? "aarch64" : "";
    bool isolated = false;
    const auto config = sight.read(python.prefix + "/pyvenv.cfg", 16U << 10U);
    if (config) {
        auto version = config_value(*config, "version");
        if (!version) version = config_value(*config, "version_info");
        if (const auto known = version ? major_minor(*version) : std::nullopt)
            python.version = std::to_string(known->major) + '.' + std::to_string(known->minor);
        isolated = config_value(*config, "include-system-site-packages") != "true";
    } else {
        python.prefix = folder_of(folder_of(real));
    }
    if (python.version.empty())
        if (const std::string_view name = base_name(real); is_python_folder(name))
            python.version = std::string(name.substr(6));
    if (python.version.empty()) {
        const auto folders = sight.list(python.prefix + "/lib", is_python_folder);
        if (folders && folders->size() == 1) python.version = folders->front().substr(6);
    }
    if (python.version.empty()) {
        python.unknown_because = python.program + " does not tell its version; name the " +
                                 "interpreter itself with --python";
        environment.python = std::move(python);
        return;
    }
    const std::string lib = "/lib/python" + python.version;
    for (const std::string& folder : folders_in(environment.variable("PYTHONPATH")))
        add_site(sight, python, folder);
    const std::string* home = environment.variable("HOME");
    const auto add_user_site = [&] {
        if (home != nullptr && environment.variable("PYTHONNOUSERSITE") == nullptr)
            add_site(sight, python, *home + "/.local" + lib + "/site-packages");
    };
    if (!isolated) add_user_site();
    add_site(sight, python, python.prefix + lib + "/site-packages");
    add_site(sight, python, python.prefix + "/lib64/python" + python.version + "/site-packages");
    const bool of_system = python.prefix == "/usr" || (config && !isolated);
    if (of_system) {
        add_site(sight, python, "/usr/local" + lib + "/dist-packages");
        add_site(sight, python, "/usr/lib/python3/dist-packages");
    }
    // In most environments lib64 is a link to lib: the same packages would appear twice.
    std::set<std::string> real_sites;
    std::erase_if(python.sites, [&](const std::string& site) {
        const std::string lib64 = python.prefix + "/lib64";
        const bool linked = site.starts_with(lib64 + '/') && sight.link(lib64).has_value();
        return linked || !real_sites.insert(site).second;
    });
    for (const std::string& site : python.sites) read_site(sight, python, site);
    read_torch(sight, python, environment.nvidia.present() && !options.quick);
    read_tensorflow(sight, python);
    read_jax(python);
    if (const std::string& directory = environment.directory; !directory.empty()) {
        python.shadow_folder = directory;
        python.shadows = sight.list(directory, is_shadow).value_or(std::vector<std::string>());
    }
    environment.python = std::move(python);
}

}  // namespace holdfast::check
