// Compares installed packages with each other's requirements.
#include <algorithm>
#include <array>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "check/rules/rules.h"
#include "check/version.h"

namespace holdfast::check::rules {
namespace {

bool is_nvidia(std::string_view name) {
    return name.starts_with("nvidia-") || name.starts_with("cuda-");
}

// Packages that break an import or a training if they do not fit; for others it is only a note.
bool matters(std::string_view name) {
    constexpr std::array names{"torch",      "jaxlib",     "keras",           "triton",
                               "tensorflow", "tokenizers", "huggingface-hub", "ml-dtypes"};
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Calls `visit(package, requirement, installed)` for every requirement that does not fit.
template <class Visit>
void for_each_misfit(const Python& python, Visit visit) {
    for (const Package& package : python.packages) {
        // If two packages have the same name, Python imports the first.
        if (python.package(package.metadata.name) != &package) continue;
        for (const Requirement& requirement : package.metadata.requires_) {
            if (requirement.specifiers.empty()) continue;
            const Package* installed = python.package(requirement.name);
            if (installed == nullptr) continue;
            if (fits(requirement.specifiers, installed->metadata.version) == false)
                visit(package, requirement, *installed);
        }
    }
}

std::vector<Observation> misfit_evidence(const Package& package, const Requirement& requirement,
                                         const Package& installed) {
    return {{package.folder + "/METADATA",
             "Requires-Dist: " + requirement.name + ' ' + requirement.specifiers},
            {installed.folder, installed.metadata.version}};
}

std::string misfit_words(const Package& package, const Requirement& requirement,
                         const Package& installed) {
    return formatted("{} {} asks for {} {}, but {} is installed", package.metadata.name,
                     package.metadata.version, requirement.name, requirement.specifiers,
                     installed.metadata.version);
}

std::vector<Fix> misfit_fix(const Python& python, const Requirement& requirement) {
    return {{"Install one that fits.", formatted("{} -m pip install '{}{}'", python.program,
                                                 requirement.name, requirement.specifiers)}};
}

// The first version that was built for NumPy 2: older ones fail at import with NumPy 2.
struct FirstForNumpy2 {
    std::string_view package, version;
    bool import_fails;
};
constexpr std::array first_for_numpy_2{
    FirstForNumpy2{"pandas", "2.2.2", true},
    FirstForNumpy2{"scikit-learn", "1.4.2", true},
    FirstForNumpy2{"scipy", "1.13.0", true},
    FirstForNumpy2{"torch", "2.3.0", false},
    FirstForNumpy2{"tensorflow", "2.18.0", true},
    FirstForNumpy2{"tensorflow-cpu", "2.18.0", true},
    FirstForNumpy2{"matplotlib", "3.8.4", true},
    FirstForNumpy2{"numba", "0.60.0", true},
    FirstForNumpy2{"opencv-python", "4.10.0.84", true},
    FirstForNumpy2{"h5py", "3.11.0", true},
    FirstForNumpy2{"pyarrow", "16.1.0", true},
    FirstForNumpy2{"jaxlib", "0.4.26", true},
};

}  // namespace

const Python* readable_python(const Environment& environment, CheckResult& judgement) {
    if (!environment.python) {
        judgement.impossible("the Python environment was not read");
        return nullptr;
    }
    if (!environment.python->unknown_because.empty()) {
        judgement.impossible(environment.python->unknown_because);
        return nullptr;
    }
    return &*environment.python;
}

void pinned_packages(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    for_each_misfit(*python, [&](const Package& package, const Requirement& requirement,
                                 const Package& installed) {
        const std::string& name = requirement.name;
        if (name == "numpy" || name == "protobuf" || is_nvidia(name))
            return;  // another check covers it
        judgement.find(
            matters(name) ? Severity::will_hurt : Severity::note, "package-conflict"_cause,
            misfit_words(package, requirement, installed) + '.',
            misfit_evidence(package, requirement, installed), misfit_fix(*python, requirement));
    });
}

void nvidia_packages(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    for_each_misfit(*python, [&](const Package& package, const Requirement& requirement,
                                 const Package& installed) {
        if (!is_nvidia(requirement.name)) return;
        // A later version with the same major number mostly works; an older one lacks what the
        // package needs.
        std::string_view pinned = requirement.specifiers;
        const bool exact = pinned.starts_with("==");
        const auto wanted = exact ? parse_version(pinned.substr(2)) : std::nullopt;
        const auto have = parse_version(installed.metadata.version);
        const bool later = wanted && have && wanted->part(0) == have->part(0) && *have > *wanted;
        judgement.find(later ? Severity::note : Severity::will_hurt, "cuda-library-mismatch"_cause,
                       misfit_words(package, requirement, installed) +
                           (later ? ": later than what it was built with." : "."),
                       misfit_evidence(package, requirement, installed),
                       misfit_fix(*python, requirement));
    });
}

void protobuf_fits(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    for_each_misfit(*python, [&](const Package& package, const Requirement& requirement,
                                 const Package& installed) {
        if (requirement.name != "protobuf") return;
        judgement.find(Severity::will_hurt, "protobuf-clash"_cause,
                       misfit_words(package, requirement, installed) +
                           ": its generated code may be refused at import.",
                       misfit_evidence(package, requirement, installed),
                       misfit_fix(*python, requirement));
    });
}

void numpy_builds(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    const Package* numpy = python->package("numpy");
    if (numpy == nullptr) return judgement.impossible("numpy is not installed");
    const auto version = parse_version(numpy->metadata.version);
    if (!version) return judgement.impossible("numpy's version cannot be read");
    std::vector<std::string> told;
    for (const FirstForNumpy2& known : first_for_numpy_2) {
        const Package* package = python->package(known.package);
        if (package == nullptr || version->part(0) < 2) continue;
        const auto have = parse_version(package->metadata.version);
        if (!have || *have >= *parse_version(known.version)) continue;
        const bool framework = known.package.starts_with("tensorflow") && known.import_fails;
        told.emplace_back(known.package);
        judgement.find(
            framework ? Severity::blocks : Severity::will_hurt, "numpy-abi"_cause,
            formatted(
                "{} {} was built for NumPy 1, but NumPy {} is installed: {}.", known.package,
                package->metadata.version, numpy->metadata.version,
                known.import_fails ? "its import fails" : "passing arrays between the two fails"),
            {{numpy->folder, numpy->metadata.version},
             {package->folder, package->metadata.version}},
            {{formatted("Install {} {} or later, or an older NumPy.", known.package, known.version),
              formatted("{} -m pip install 'numpy<2'", python->program)}});
    }
    for_each_misfit(*python, [&](const Package& package, const Requirement& requirement,
                                 const Package& installed) {
        if (requirement.name != "numpy") return;
        if (std::find(told.begin(), told.end(), package.metadata.name) != told.end()) return;
        judgement.find(Severity::will_hurt, "numpy-abi"_cause,
                       misfit_words(package, requirement, installed) + '.',
                       misfit_evidence(package, requirement, installed),
                       misfit_fix(*python, requirement));
    });
}

void package_twice(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    std::map<std::string, const Package*> first;
    for (const Package& package : python->packages) {
        if (package.folder.ends_with(".egg-info")) continue;  // stays behind when pip takes over
        const auto [known, fresh] =
            first.try_emplace(package.site + '\n' + package.metadata.name, &package);
        if (fresh || known->second->metadata.version == package.metadata.version) continue;
        judgement.find(
            Severity::will_hurt, "package-conflict"_cause,
            formatted("{} is installed twice in one place, as {} and as {}: files of both are "
                      "mixed.",
                      package.metadata.name, known->second->metadata.version,
                      package.metadata.version),
            {{known->second->folder, known->second->metadata.version},
             {package.folder, package.metadata.version}},
            {{"Reinstall it.", formatted("{} -m pip install --force-reinstall {}", python->program,
                                         package.metadata.name)}});
    }
    // A copy in the user's own folder hides the environment's copy.
    for (const char* name : {"torch", "numpy", "tensorflow", "jax", "keras"}) {
        std::vector<const Package*> copies;
        for (const Package& package : python->packages)
            if (package.metadata.name == name) copies.push_back(&package);
        if (copies.size() < 2 || copies[0]->site == copies[1]->site ||
            copies[0]->metadata.version == copies[1]->metadata.version)
            continue;
        judgement.find(
            Severity::note, "package-conflict"_cause,
            formatted("{} {} of {} hides {} of {}.", name, copies[0]->metadata.version,
                      copies[0]->site, copies[1]->metadata.version, copies[1]->site),
            {{copies[0]->folder, copies[0]->metadata.version},
             {copies[1]->folder, copies[1]->metadata.version}},
            {{"Remove one of them.", formatted("{} -m pip uninstall {}", python->program, name)}});
    }
}

void module_shadowed(const Environment& environment, CheckResult& judgement) {
    const Python* python = readable_python(environment, judgement);
    if (python == nullptr) return;
    for (const std::string& name : python->shadows)
        judgement.find(
            Severity::will_hurt, "package-conflict"_cause,
            formatted("{} in the working directory is imported in place of the module {}.", name,
                      name.substr(0, name.size() - 3)),
            {{python->shadow_folder + '/' + name, "found"}},
            {{"Give it another name.", formatted("mv {} my_{}", name, name)}});
}

void framework_import(const Environment& environment, CheckResult& judgement) {
    if (environment.tries.empty()) return judgement.impossible("runs only with --import");
    for (const ImportTry& tried : environment.tries) {
        if (tried.done && tried.well) continue;
        if (!tried.done) {
            judgement.impossible(
                formatted("import {} did not end within {:.0f} s", tried.framework, tried.seconds));
            continue;
        }
        judgement.find(
            Severity::blocks, "library-missing"_cause,
            formatted("`import {}` fails: {}.", tried.framework, tried.last_line),
            {{"import " + tried.framework, tried.last_line}},
            {{"Reinstall it.", formatted("pip install --force-reinstall {}", tried.framework)}});
    }
}

}  // namespace holdfast::check::rules
