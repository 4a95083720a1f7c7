#include "agent/launch/origin.h"

#include <initializer_list>

namespace holdfast::agent {

CodeOrigin origin_of(Text file) {
    if (file.empty()) return CodeOrigin::foreign;
    if (file.data[0] == '<') {
        if (file == "<string>" || file == "<stdin>") return CodeOrigin::made_up;
        return file.starts_with("<ipython-input") || file == "<timed exec>" ? CodeOrigin::own
                                                                            : CodeOrigin::foreign;
    }
    for (const Text installed :
         {Text("site-packages/"), Text("dist-packages/"), Text("/lib/python3"),
          Text("/lib64/python3"), Text("/__autograph_generated_file")})
        if (file.contains(installed)) return CodeOrigin::foreign;
    return CodeOrigin::own;
}

}  // namespace holdfast::agent
