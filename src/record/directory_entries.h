// What a directory holds, and which files this process has open.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"

namespace holdfast {

// Names in an open directory, "." and ".." left out, in no order.
Result<std::vector<std::string>> entry_names(int directory);

// Whether one of this process's descriptors is that file.
bool has_open(dev_t device, ino_t inode);

}  // namespace holdfast
