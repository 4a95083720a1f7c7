#include "model/evidence.h"

namespace holdfast {

const ProcessEvidence* Evidence::process(int pid) const {
    for (const ProcessEvidence& p : processes)
        if (p.pid == pid) return &p;
    return nullptr;
}

const ProcessEvidence* Evidence::main() const { return main_pid ? process(*main_pid) : nullptr; }

const CgroupEvidence* Evidence::cgroup_of(const ProcessEvidence& process) const {
    if (!process.cgroup || *process.cgroup < 0 ||
        static_cast<std::size_t>(*process.cgroup) >= cgroups.size())
        return nullptr;
    return &cgroups[static_cast<std::size_t>(*process.cgroup)];
}

}  // namespace holdfast
