// METADATA of an installed Python package: its name, its version, its requirements.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::check {

struct Requirement {
    std::string name;        // normalised
    std::string specifiers;  // "<2,>=1.21"; empty: any version
};

struct Metadata {
    std::string name;  // normalised: "scikit-learn"
    std::string version;
    std::vector<Requirement> requires_;  // those that certainly apply here
};

// The values that markers are compared with. An empty value is unknown: a marker that uses it does
// not apply.
struct MarkerWorld {
    std::string python;   // "3.11"
    std::string machine;  // "x86_64"
};

// Reads only the head: after the first empty line comes the package's description.
Metadata parse_metadata(std::string_view text, const MarkerWorld& world);

// "Scikit_Learn" -> "scikit-learn"
std::string normalised(std::string_view name);

// `platform_system == "Linux" and python_version < "3.12"`: nothing where it is not understood.
std::optional<bool> marker_holds(std::string_view marker, const MarkerWorld& world);

}  // namespace holdfast::check
