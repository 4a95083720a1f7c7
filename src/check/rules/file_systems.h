// The file systems that a training program writes to, each once: a full disk under three folders
// is one finding.
#pragma once

#include <string>
#include <vector>

#include "check/environment.h"

namespace holdfast::check::rules {

struct WrittenFileSystem {
    const Space* space = nullptr;
    std::string
        who;  // "the working directory (/srv/train) and the home directory (/home/ana) have"
    std::string path;        // of its first folder
    bool worked_in = false;  // holds more than a cache or a home
};

// "The working directory (/srv/train)"
std::string named(const WorkPlace& place);

// Only those whose free space is known.
std::vector<WrittenFileSystem> written_file_systems(const Environment& environment);

}  // namespace holdfast::check::rules
