// The loops of a Python source file: which lines each one has, and whether anything says that it
// will end. Not a parser of the language: indentation, strings and brackets are understood, and
// what looks odd makes no loop. Pure.
#pragma once

#include <string_view>
#include <vector>

namespace holdfast {

struct SourceLoop {
    int first = 0, last = 0;  // lines; the first is the loop's head
    int parent = -1;          // the loop around it in the same function; -1: none
    // A `while` that may turn for ever: nothing in it counts towards its end, uses up what it works
    // on, fetches from elsewhere, waits, or hands out values.
    bool open = false;
    bool writes = false;  // prints, logs, saves or shows its progress
};

struct SourceLine {
    int loop = -1;         // the innermost loop of the same function
    int statement = 0;     // the line where its statement begins
    bool repeats = false;  // a comprehension: a loop in one line
};

struct SourceLoops {
    std::vector<SourceLoop> loops;
    std::vector<SourceLine> lines;  // by number; the first is line 1, at index 1

    const SourceLine* line(int number) const {
        const bool known = number > 0 && static_cast<std::size_t>(number) < lines.size();
        return known ? &lines[static_cast<std::size_t>(number)] : nullptr;
    }
};

SourceLoops loops_of(std::string_view text);

}  // namespace holdfast
