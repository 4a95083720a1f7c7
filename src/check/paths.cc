#include "check/paths.h"

#include "base/text.h"

namespace holdfast::check {

std::string folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return ".";
    return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

std::string joined(std::string_view folder, std::string_view name) {
    if (name.starts_with('/')) return std::string(name);
    return std::string(folder) + (folder.ends_with('/') ? "" : "/") + std::string(name);
}

std::string tidy(std::string_view path) {
    std::vector<std::string_view> parts;
    while (const auto part = next_piece(path, '/')) {
        if (part->empty() || *part == ".") continue;
        if (*part == ".." && !parts.empty())
            parts.pop_back();
        else if (*part != "..")
            parts.push_back(*part);
    }
    std::string text;
    for (const std::string_view part : parts) text += '/' + std::string(part);
    return text.empty() ? "/" : text;
}

std::string followed(Sight& sight, std::string path) {
    for (int hops = 0; hops < 16; ++hops) {
        const auto target = sight.link(path);
        if (!target) break;
        path = tidy(joined(folder_of(path), *target));
    }
    return path;
}

std::vector<std::string> folders_in(const std::string* variable) {
    std::vector<std::string> folders;
    if (variable == nullptr) return folders;
    for (const std::string_view folder : split(*variable, ':'))
        if (folder.starts_with('/') && folders.size() < 64) folders.emplace_back(folder);
    return folders;
}

}  // namespace holdfast::check
