// What every helper process of the supervisor does first: release the program's descriptors and
// working directory.
#pragma once

#include <initializer_list>

namespace holdfast {

// Closes every descriptor but `keep` (a helper that held on to a pipe would keep its reader from
// ever seeing the end), leaves the working directory (it would keep a filesystem from being
// unmounted) and takes a name for `ps`.
void become_bystander(const char* name, std::initializer_list<int> keep);

}  // namespace holdfast
