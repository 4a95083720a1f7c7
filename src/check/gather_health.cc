// What the host reports about its own hardware: memory errors, heat, alarms, disks.
#include "base/text.h"
#include "check/gather.h"

namespace holdfast::check {
namespace {

constexpr std::size_t most_parts = 256;

std::vector<std::string> names_in(Sight& sight, const std::string& folder, Sight::Wanted wanted) {
    auto names = sight.list(folder, wanted).value_or(std::vector<std::string>());
    if (names.size() > most_parts) names.resize(most_parts);
    return names;
}

std::optional<std::int64_t> signed_in(Sight& sight, const std::string& file) {
    const auto text = sight.read(file, 4096);
    return text ? parse_number<std::int64_t>(trim(*text)) : std::nullopt;
}

void add_count(Sight& sight, const std::string& file, std::vector<Read<std::uint64_t>>& into) {
    const auto number = signed_in(sight, file);
    if (number && *number >= 0) into.push_back({static_cast<std::uint64_t>(*number), file});
}

std::optional<int> celsius(std::optional<std::int64_t> thousandths) {
    // Trip points that are not set are 0, and broken sensors report nonsense.
    if (!thousandths || *thousandths <= 0 || *thousandths > 200'000) return std::nullopt;
    return static_cast<int>(*thousandths / 1000);
}

void gather_zone(Sight& sight, const std::string& folder, HostHealth& health) {
    const auto now = celsius(signed_in(sight, folder + "/temp"));
    if (!now) return;
    ThermalZone zone;
    zone.celsius = *now;
    zone.file = folder + "/temp";
    if (const auto type = sight.read(folder + "/type", 256)) zone.type = printable(trim(*type));
    for (int i = 0; i < 12; ++i) {
        const std::string trip = folder + "/trip_point_" + std::to_string(i);
        const auto type = sight.read(trip + "_type", 64);
        if (!type) break;
        const auto at = celsius(signed_in(sight, trip + "_temp"));
        if (trim(*type) == "passive") zone.passive = at;
        if (trim(*type) == "hot") zone.hot = at;
        if (trim(*type) == "critical") zone.critical = at;
    }
    health.zones.push_back(std::move(zone));
}

}  // namespace

void gather_health(Sight& sight, Environment& environment) {
    HostHealth& health = environment.health;
    const std::string edac = "/sys/devices/system/edac/mc";
    for (const std::string& name : names_in(
             sight, edac, [](std::string_view n) { return n.starts_with("mc") && n.size() < 6; })) {
        health.edac_seen = true;
        add_count(sight, edac + '/' + name + "/ce_count", health.corrected);
        add_count(sight, edac + '/' + name + "/ue_count", health.uncorrected);
    }
    const std::string thermal = "/sys/class/thermal";
    for (const std::string& name :
         names_in(sight, thermal, [](std::string_view n) { return n.starts_with("thermal_zone"); }))
        gather_zone(sight, thermal + '/' + name, health);
    const std::string hwmon = "/sys/class/hwmon";
    for (const std::string& chip :
         names_in(sight, hwmon, [](std::string_view n) { return n.starts_with("hwmon"); }))
        for (const std::string& name : names_in(sight, hwmon + '/' + chip, [](std::string_view n) {
                 return n.starts_with("temp") && n.ends_with("_crit_alarm");
             })) {
            health.alarms_seen = true;
            const std::string file = hwmon + '/' + chip + '/' + name;
            if (signed_in(sight, file) == 1) health.alarms.push_back(file);
        }
    const std::string ext4 = "/sys/fs/ext4";
    for (const std::string& disk :
         names_in(sight, ext4, [](std::string_view n) { return n != "features"; })) {
        health.disks_seen = true;
        add_count(sight, ext4 + '/' + disk + "/errors_count", health.disk_errors);
    }
    for (const std::string& disk :
         names_in(sight, "/sys/block", [](std::string_view n) { return n.starts_with("md"); })) {
        health.disks_seen = true;
        add_count(sight, "/sys/block/" + disk + "/md/degraded", health.degraded);
    }
    environment.log = sight.hardware_log();
}

}  // namespace holdfast::check
