#include "check/rules/file_systems.h"

#include "base/format.h"

namespace holdfast::check::rules {
namespace {

bool same_file_system(const WorkPlace& a, const WorkPlace& b) {
    if (!a.mount_point.empty() || !b.mount_point.empty()) return a.mount_point == b.mount_point;
    return a.space->type == b.space->type && a.space->size == b.space->size &&
           a.space->free == b.space->free;
}

bool is_worked_in(const WorkPlace& place) {
    return place.role != "the home directory" && !place.role.ends_with("_HOME");
}

std::string listed(const std::vector<const WorkPlace*>& places) {
    std::string text;
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (i > 0) text += i + 1 == places.size() ? " and " : ", ";
        text += i == 0 ? named(*places[i]) : formatted("{} ({})", places[i]->role, places[i]->path);
    }
    return text + (places.size() == 1 ? " has" : " have");
}

}  // namespace

std::string named(const WorkPlace& place) {
    std::string text = formatted("{} ({})", place.role, place.path);
    if (text.starts_with("the ")) text[0] = 'T';
    return text;
}

std::vector<WrittenFileSystem> written_file_systems(const Environment& environment) {
    std::vector<std::vector<const WorkPlace*>> groups;
    for (const WorkPlace& place : environment.places) {
        if (!place.space) continue;
        std::vector<const WorkPlace*>* own = nullptr;
        for (auto& group : groups)
            if (same_file_system(*group.front(), place)) own = &group;
        if (own == nullptr) own = &groups.emplace_back();
        own->push_back(&place);
    }
    std::vector<WrittenFileSystem> systems;
    for (const auto& group : groups) {
        WrittenFileSystem system{&*group.front()->space, listed(group), group.front()->path};
        for (const WorkPlace* place : group)
            system.worked_in = system.worked_in || is_worked_in(*place);
        systems.push_back(std::move(system));
    }
    return systems;
}

}  // namespace holdfast::check::rules
