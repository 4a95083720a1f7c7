// The shared libraries that the environment's packages need, searched for as the loader would.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "check/gather.h"
#include "check/library_finder.h"
#include "check/paths.h"

namespace holdfast::check {
namespace {

constexpr std::size_t most_files = 64;

bool is_extension(std::string_view name) { return name.ends_with(".so"); }
bool is_numpy_core(std::string_view name) {
    return name.starts_with("_multiarray_umath.") && name.ends_with(".so");
}
bool is_pandas_lib(std::string_view name) {
    return name.starts_with("lib.") && name.ends_with(".so");
}
bool is_cv2(std::string_view name) { return name.starts_with("cv2") && name.ends_with(".so"); }
bool is_libs_folder(std::string_view name) { return name.ends_with(".libs"); }
bool is_openmp(std::string_view name) {
    return (name.starts_with("libgomp") || name.starts_with("libiomp5") ||
            name.starts_with("libomp.") || name.starts_with("libomp-")) &&
           name.find(".so") != std::string_view::npos;
}
bool is_mkl(std::string_view name) { return name.starts_with("libmkl_"); }

// The files that must load for an import to succeed.
std::vector<std::string> deciding_files(Sight& sight, const Environment& environment) {
    std::vector<std::string> files;
    const Python& python = *environment.python;
    const auto add_all = [&](const std::string& folder, Sight::Wanted wanted) {
        for (const std::string& name :
             sight.list(folder, wanted).value_or(std::vector<std::string>()))
            if (files.size() < most_files) files.push_back(joined(folder, name));
    };
    const auto add = [&](const std::string& file) {
        if (sight.exists(file) && files.size() < most_files) files.push_back(file);
    };
    if (const Package* torch = python.package("torch"))
        for (const char* name : {"libtorch_cpu.so", "libtorch_cuda.so", "libtorch_python.so",
                                 "libc10.so", "libc10_cuda.so", "libtorch_global_deps.so"})
            add(torch->site + "/torch/lib/" + name);
    if (const Framework* tensorflow = python.framework("tensorflow")) {
        const std::string folder = folder_of(folder_of(folder_of(tensorflow->cuda_file)));
        add(folder + "/libtensorflow_framework.so.2");
        add(folder + "/libtensorflow_cc.so.2");
    }
    if (const Package* numpy = python.package("numpy"))
        for (const char* core : {"/numpy/_core", "/numpy/core"})
            add_all(numpy->site + core, is_numpy_core);
    if (const Package* pandas = python.package("pandas"))
        add_all(pandas->site + "/pandas/_libs", is_pandas_lib);
    for (const char* name : {"opencv-python", "opencv-contrib-python"})
        if (const Package* opencv = python.package(name)) add_all(opencv->site + "/cv2", is_cv2);
    // The user's own extensions lie beside the script.
    if (!python.shadow_folder.empty()) add_all(python.shadow_folder, is_extension);
    return files;
}

// torch and TensorFlow load these by path if the loader did not find them.
std::optional<std::string> in_nvidia_packages(Sight& sight, const Python& python,
                                              const std::string& soname) {
    const auto any = [](std::string_view name) { return !name.starts_with('_'); };
    for (const std::string& site : python.sites)
        for (const std::string& part :
             sight.list(site + "/nvidia", any).value_or(std::vector<std::string>()))
            if (std::string file = site + "/nvidia/" + part + "/lib/" + soname; sight.exists(file))
                return file;
    return std::nullopt;
}

bool is_left_out(std::string_view soname) {
    // Libraries of the loader and the driver: the first always exist, the second have a check of
    // their own.
    return soname.starts_with("ld-linux") || soname.starts_with("linux-vdso") ||
           soname.starts_with("libcuda.so") || soname.starts_with("libnvidia-");
}

bool is_judged_version(std::string_view version) {
    return version.starts_with("GLIBC_2.") || version.starts_with("GLIBCXX_3.") ||
           version.starts_with("CXXABI_1.") || version.starts_with("GCC_");
}

void add_openmp(Sight& sight, Python& python, const std::string& folder,
                const std::string& package) {
    for (const std::string& name :
         sight.list(folder, is_openmp).value_or(std::vector<std::string>())) {
        const std::string path = joined(folder, name);
        if (sight.link(path) || python.openmp.size() >= 64) continue;  // another name of one copy
        const char* kind = name.starts_with("libgomp")    ? "libgomp"
                           : name.starts_with("libiomp5") ? "libiomp5"
                                                          : "libomp";
        python.openmp.push_back({kind, path, package});
    }
}

void gather_openmp(Sight& sight, Python& python) {
    for (const std::string& site : python.sites) {
        for (const std::string& name :
             sight.list(site, is_libs_folder).value_or(std::vector<std::string>()))
            add_openmp(sight, python, joined(site, name), name);
        if (python.package("torch") != nullptr)
            add_openmp(sight, python, site + "/torch/lib", "torch");
        if (python.framework("tensorflow") != nullptr)
            add_openmp(sight, python, site + "/tensorflow", "tensorflow");
    }
    if (python.prefix != "/usr") add_openmp(sight, python, python.prefix + "/lib", "environment");
    if (!python.shadow_folder.empty())
        add_openmp(sight, python, python.shadow_folder, "the working directory");
}

void gather_mkl(Sight& sight, Python& python) {
    const std::string folder = python.prefix + "/lib";
    auto files = sight.list(folder, is_mkl).value_or(std::vector<std::string>());
    const bool core = std::any_of(files.begin(), files.end(), [](const std::string& name) {
        return name.starts_with("libmkl_core.so");
    });
    if (!core || python.prefix == "/usr") return;
    python.mkl_folder = folder;
    python.mkl_files = std::move(files);
}

}  // namespace

void gather_libraries(Sight& sight, Environment& environment) {
    if (!environment.python || !environment.python->unknown_because.empty()) return;
    Python& python = *environment.python;
    gather_openmp(sight, python);
    gather_mkl(sight, python);
    const std::string program = followed(sight, python.program);
    LibraryFinder finder(sight, environment, program);
    // A saved root may contain the environment but not the system's libraries: then nothing is
    // known about those.
    const ElfFacts* own = finder.elf(program);
    if (!finder.find("libc.so.6", program, own != nullptr ? *own : ElfFacts{})) return;
    std::set<std::string> told;
    for (const std::string& file : deciding_files(sight, environment)) {
        const ElfFacts* facts = finder.elf(file);
        if (facts == nullptr) continue;
        for (const std::string& soname : facts->needed) {
            if (is_left_out(soname)) continue;
            auto found = finder.find(soname, file, *facts);
            // A library from the same package is loaded before it, by path.
            if (!found && sight.exists(joined(folder_of(file), soname)))
                found = FoundLibrary{joined(folder_of(file), soname), "beside it"};
            if (!found)
                if (const auto preloaded = in_nvidia_packages(sight, python, soname))
                    found = FoundLibrary{*preloaded, "loaded by its path"};
            python.lookups.push_back(
                {file, soname, found ? found->path : "", found ? found->how : ""});
            if (!found) continue;
            const ElfFacts* offered = nullptr;
            for (const VersionNeed& need : facts->needs) {
                if (need.library != soname || !is_judged_version(need.version)) continue;
                if (offered == nullptr) offered = finder.elf(found->path);
                if (offered == nullptr || offered->offers.empty()) break;
                const auto& offers = offered->offers;
                const bool has =
                    std::find(offers.begin(), offers.end(), need.version) != offers.end();
                if (!has && told.insert(found->path + need.version).second)
                    python.gaps.push_back({file, found->path, need.version, found->how});
            }
        }
    }
    // cuDNN asks for its parts by file name alone, so LD_LIBRARY_PATH comes first.
    for (const std::string& folder : folders_in(environment.variable("LD_LIBRARY_PATH")))
        for (const char* soname : {"libcudnn.so.9", "libcudnn_graph.so.9", "libcudnn_ops.so.9",
                                   "libcudnn.so.8", "libcudnn_ops_infer.so.8"})
            if (std::string file = joined(folder, soname); sight.exists(file)) {
                python.lookups.push_back(
                    {"cuDNN", soname, followed(sight, file), "LD_LIBRARY_PATH"});
                break;
            }
}

}  // namespace holdfast::check
