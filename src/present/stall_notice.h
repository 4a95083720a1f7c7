// A few lines about a program that is stuck, printed between its own lines.
#pragma once

#include <string>

#include "base/time.h"
#include "model/verdict.h"
#include "present/style.h"

namespace holdfast {

// One line for a notebook's running cell and status bar, without a newline.
std::string stall_line(const Verdict& verdict, Nanos lasted);
// Why it does not move, who waits where, and where to read more.
std::string stall_notice(const Verdict& verdict, Nanos lasted, const Style& style);
// One line: the program moves again.
std::string moves_again_notice(Nanos lasted);

}  // namespace holdfast
