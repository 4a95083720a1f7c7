// Creates the black box of a run where that is possible: in the home, in another place, or, if no
// disk works, in memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "record/box_writer.h"
#include "record/run_directory.h"
#include "record/run_home.h"

namespace holdfast {

struct Recorder {
    std::optional<RunDirectory> directory;
    std::unique_ptr<MachineBox> machine;
    std::vector<std::string> warnings;

    const RunDirectory* directory_or_null() const { return directory ? &*directory : nullptr; }
};

// An Error only when there is not even memory for it; the program then runs unobserved.
Result<Recorder> open_recorder(const RunHome& home, const std::string& id, const BoxOrigin& origin);

// Removes a run that never began.
void discard(const RunDirectory& directory);

}  // namespace holdfast
