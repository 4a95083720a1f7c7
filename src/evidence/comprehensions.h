// Comprehensions of a Python source file. Interpreters from 3.12 on run them within the function
// around them and show no frame; older ones show "<listcomp>", and rules go by that frame.
#pragma once

#include <string_view>
#include <vector>

#include "evidence/source_line.h"
#include "model/agent_evidence.h"

namespace holdfast {

struct LineRange {
    int first = 0, last = 0;

    bool operator==(const LineRange&) const = default;
};

// The lists, dictionaries and sets that an expression makes, in the order of their ends. Strings
// and comments are understood; a generator is none, because it has a frame of its own. Pure.
std::vector<LineRange> comprehensions_in(std::string_view source);

// Gives frames of the user's own code within a comprehension the name that older interpreters show:
// "<listcomp>". Only where the interpreter hides them.
void name_comprehensions(AgentEvidence& agent, const SourceReader& read);

}  // namespace holdfast
