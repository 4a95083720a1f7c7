#include "fit/replay/anatomy.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace holdfast::fit {
namespace {

constexpr std::size_t most_shares = 12;

// A storage without a role is an activation, unless backward allocated it: then it is temporary.
// Backward runs in a thread without a line of the user's, so its sites have a module but no line.
bool passing(const Site& site) { return site.module.starts_with("backward of "); }

std::string moment_of(const Site& site) {
    if (passing(site) || site.file.empty())
        return site.module.empty() ? "outside the program's own lines" : site.module;
    const std::string place =
        site.file.substr(site.file.rfind('/') + 1) + ":" + std::to_string(site.line);
    return site.module.empty() ? place : site.module + " at " + place;
}

Bytes& part_of(Anatomy& anatomy, const CaptureEvent& event, const Site& site) {
    if (event.kind == CaptureEventKind::scratch) return anatomy.workspaces;
    switch (event.role) {
    case StorageRole::weight: return anatomy.weights;
    case StorageRole::gradient: return anatomy.gradients;
    case StorageRole::optimizer: return anatomy.optimizer;
    case StorageRole::workspace: return anatomy.workspaces;
    case StorageRole::input: return anatomy.inputs;
    default:
        return passing(site) || event.role == StorageRole::temporary ? anatomy.temporaries
                                                                     : anatomy.activations;
    }
}

}  // namespace

Anatomy anatomy_of(const Capture& capture, const Program& program, const Replayed& replayed) {
    struct Live {
        Bytes size;
        std::uint32_t event = 0;
    };
    std::vector<Live> live(program.storages);
    const std::size_t end = std::min(replayed.peak_move + 1, program.moves.size());
    for (std::size_t i = 0; i < end; ++i) {
        const Move& move = program.moves[i];
        if (move.kind == Move::Kind::allocate || move.kind == Move::Kind::attempt)
            live[move.storage] = {move.size, move.event};
        if (move.kind == Move::Kind::free) live[move.storage] = {};
    }
    Anatomy anatomy;
    std::map<std::tuple<std::string, std::string, std::uint32_t>, Bytes> places;
    for (const Live& storage : live) {
        if (storage.size.count == 0) continue;
        const CaptureEvent& event = capture.events[storage.event];
        const Site& site = capture.sites[event.site];
        Bytes& part = part_of(anatomy, event, site);
        part += storage.size;
        if (&part == &anatomy.activations)
            places[{site.module, site.file, site.line}] += storage.size;
    }
    for (const auto& [place, bytes] : places)
        anatomy.activations_by_place.push_back(
            {std::get<0>(place), std::get<1>(place), std::get<2>(place), bytes});
    std::ranges::stable_sort(anatomy.activations_by_place, std::ranges::greater{},
                             &AnatomyShare::bytes);
    if (anatomy.activations_by_place.size() > most_shares)
        anatomy.activations_by_place.resize(most_shares);
    anatomy.fragmentation = replayed.stats.peak_reserved - replayed.stats.peak_requested;
    if (!program.moves.empty()) {
        const CaptureEvent& event = capture.events[program.moves[replayed.peak_move].event];
        anatomy.moment = moment_of(capture.sites[event.site]);
    }
    return anatomy;
}

}  // namespace holdfast::fit
