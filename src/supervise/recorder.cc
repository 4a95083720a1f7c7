#include "supervise/recorder.h"

#include <fcntl.h>
#include <unistd.h>

namespace holdfast {

Result<Recorder> open_recorder(const RunHome& home, const std::string& id,
                               const BoxOrigin& origin) {
    Recorder recorder;
    std::string reason;
    for (const HomeCandidate& candidate : home.candidates) {
        auto directory = RunDirectory::create(RunHome{{candidate}}, id);
        if (!directory) {
            if (reason.empty()) reason = directory.error().text;
            continue;
        }
        // The place may exist but have no room.
        auto machine = MachineBox::create(&*directory, origin);
        if (!machine) {
            if (reason.empty()) reason = candidate.path + ": " + machine.error().text;
            discard(*directory);
            continue;
        }
        recorder.machine = std::make_unique<MachineBox>(std::move(machine).value());
        recorder.directory.emplace(std::move(directory).value());
        if (!reason.empty())
            recorder.warnings.push_back(reason + "; this run is recorded in " + candidate.path);
        return recorder;
    }
    auto machine = MachineBox::create(nullptr, origin);
    if (!machine) return machine.error();
    recorder.machine = std::make_unique<MachineBox>(std::move(machine).value());
    recorder.warnings.push_back(reason +
                                "; this run is kept in memory only, `holdfast why` will not "
                                "find it (set HOLDFAST_HOME to a writable directory)");
    return recorder;
}

void discard(const RunDirectory& directory) {
    for (const char* name :
         {run_file::machine, run_file::output, run_file::gpu, run_file::agent, run_file::crash,
          run_file::guard, run_file::facts, run_file::verdict, run_file::check, run_file::lock})
        ::unlinkat(directory.fd(), name, 0);
    ::rmdir(directory.path().c_str());
}

}  // namespace holdfast
