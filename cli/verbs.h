// The verbs, one file each. Each returns an exit status: 0 well, 2 bad usage, 3 no such run, 1 any
// other failure; `run` does not return when the command was started.
#pragma once

#include <span>
#include <string>

#include "arguments.h"

namespace holdfast::cli {

inline constexpr int exit_failure = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_no_run = 3;

extern const Verb run_verb;
extern const Verb why_verb;
extern const Verb runs_verb;
extern const Verb explain_verb;
extern const Verb kernel_verb;
extern const Verb fit_verb;
extern const Verb check_verb;

int run(const Arguments& arguments);
int why(const Arguments& arguments);
int runs(const Arguments& arguments);
int explain(const Arguments& arguments);
int kernel(const Arguments& arguments);
int fit(const Arguments& arguments);
int check(const Arguments& arguments);

// "holdfast: ..." on stderr, one line.
void complain(std::string_view text);
// To stdout, all of it; a closed pipe ends quietly.
void print(std::string_view text);

}  // namespace holdfast::cli
