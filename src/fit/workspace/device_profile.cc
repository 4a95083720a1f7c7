#include "fit/workspace/device_profile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "base/text.h"

namespace holdfast::fit {
namespace {

constexpr Bytes gib(double amount) { return {static_cast<std::uint64_t>(amount * 1024) << 20U}; }

// Usable memory as torch reports it in out-of-memory messages on these cards (the lowest seen);
// multiprocessors and architectures from NVIDIA's data sheets.
constexpr std::array catalogue{
    DeviceProfile{"H200", 90, 132, 2048, gib(139.81)},
    DeviceProfile{"H100", 90, 132, 2048, gib(79.1)},
    DeviceProfile{"H100 PCIe", 90, 114, 2048, gib(79.1)},
    DeviceProfile{"H100 NVL", 90, 132, 2048, gib(93.0)},
    DeviceProfile{"GH200", 90, 132, 2048, gib(94.5)},
    DeviceProfile{"B200", 100, 148, 2048, gib(178.3)},
    DeviceProfile{"A100 80GB", 80, 108, 2048, gib(79.15)},
    DeviceProfile{"A100 40GB", 80, 108, 2048, gib(39.38)},
    DeviceProfile{"A100", 80, 108, 2048, gib(39.38)},
    DeviceProfile{"A40", 86, 84, 1536, gib(44.34)},
    DeviceProfile{"A30", 80, 56, 2048, gib(23.5)},
    DeviceProfile{"A10", 86, 72, 1536, gib(21.98)},
    DeviceProfile{"A10G", 86, 80, 1536, gib(21.98)},
    DeviceProfile{"L4", 89, 58, 1536, gib(21.95)},
    DeviceProfile{"L40", 89, 142, 1536, gib(44.3)},
    DeviceProfile{"L40S", 89, 142, 1536, gib(44.3)},
    DeviceProfile{"T4", 75, 40, 1024, gib(14.56)},
    DeviceProfile{"V100 16GB", 70, 80, 2048, gib(15.77)},
    DeviceProfile{"V100 32GB", 70, 80, 2048, gib(31.73)},
    DeviceProfile{"V100", 70, 80, 2048, gib(15.77)},
    DeviceProfile{"P100", 60, 56, 2048, gib(15.89)},
    DeviceProfile{"RTX 5090", 120, 170, 1536, gib(31.35)},
    DeviceProfile{"RTX 5080", 120, 84, 1536, gib(15.45)},
    DeviceProfile{"RTX 4090", 89, 128, 1536, gib(23.5)},
    DeviceProfile{"RTX 4080", 89, 76, 1536, gib(15.6)},
    DeviceProfile{"RTX 4070 Ti", 89, 60, 1536, gib(11.6)},
    DeviceProfile{"RTX 4070", 89, 46, 1536, gib(11.6)},
    DeviceProfile{"RTX 4060 Ti", 89, 34, 1536, gib(7.6)},
    DeviceProfile{"RTX 4060", 89, 24, 1536, gib(7.6)},
    DeviceProfile{"RTX 3090", 86, 82, 1536, gib(23.68)},
    DeviceProfile{"RTX 3080", 86, 68, 1536, gib(9.75)},
    DeviceProfile{"RTX 3070", 86, 46, 1536, gib(7.79)},
    DeviceProfile{"RTX 3060", 86, 28, 1536, gib(11.75)},
    DeviceProfile{"RTX 2080 Ti", 75, 68, 1024, gib(10.75)},
    DeviceProfile{"RTX 6000 Ada", 89, 142, 1536, gib(47.4)},
    DeviceProfile{"RTX A6000", 86, 84, 1536, gib(47.4)},
    DeviceProfile{"RTX A5000", 86, 64, 1536, gib(23.67)},
    DeviceProfile{"GTX 1080 Ti", 61, 28, 2048, gib(10.9)},
};

std::string bare(std::string_view name) {
    std::string letters;
    for (const char c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
            letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    for (const std::string_view prefix : {"nvidia", "geforce", "tesla"})
        if (letters.starts_with(prefix)) letters.erase(0, prefix.size());
    return letters;
}

}  // namespace

std::span<const DeviceProfile> device_catalogue() { return catalogue; }

Result<DeviceProfile> find_device(std::string_view name) {
    const std::string wanted = bare(name);
    const DeviceProfile* partial = nullptr;
    for (const DeviceProfile& device : catalogue) {
        const std::string known = bare(device.name);
        if (known == wanted || "rtx" + wanted == known) return device;
        if (partial == nullptr && wanted.size() >= 2 && known.starts_with(wanted))
            partial = &device;
    }
    if (partial != nullptr) return *partial;
    std::string names;
    for (const DeviceProfile& device : catalogue)
        names.append(names.empty() ? "" : ", ").append(device.name);
    return Error{"no GPU '" + std::string(name) +
                 "' in the catalogue; give its memory instead (--gpu 24GiB), or one of: " + names};
}

Bytes cublas_workspace(std::uint32_t sm) {
    // torch's sizes: 32 MiB from Hopper on; before that, its default of ":4096:2:16:8" (KiB times
    // count).
    return sm >= 90 ? Bytes::mib(32) : Bytes::kib(4096 * 2 + 16 * 8);
}

}  // namespace holdfast::fit
