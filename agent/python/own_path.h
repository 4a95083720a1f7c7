// Which source files are the program's own.
#pragma once

#include <initializer_list>

#include "agent/base/text.h"

namespace holdfast::agent {

inline bool is_own_path(Text file) {
    for (const Text part :
         {Text("/site-packages/"), Text("/dist-packages/"), Text("/lib/python"), Text("<frozen"),
          Text("<holdfast"), Text("/__autograph_generated_file")})
        if (file.contains(part)) return false;
    return true;
}

}  // namespace holdfast::agent
