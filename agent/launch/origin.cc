#include "agent/launch/origin.h"

#include "knowledge/own_code.h"

namespace holdfast::agent {

CodeOrigin origin_of(Text file) {
    switch (home_of_code(file.data, file.size)) {
    case CodeHome::own: return CodeOrigin::own;
    case CodeHome::made_up: return CodeOrigin::made_up;
    default: return CodeOrigin::foreign;
    }
}

}  // namespace holdfast::agent
