// Fills a process's row of the black box from its /proc directory.
#pragma once

#include <optional>
#include <string>

#include "record/format.h"
#include "sources/pid_stat.h"

namespace holdfast {

// A row in which nothing is known yet.
format::Process unseen_process();

// Who it is: executable, command line (masked), name. Returns the rank its environment names.
std::optional<int> identify_process(int process_dir, format::Process& record);

// All that is left of a process that became another program unseen.
void note_new_name(const std::string& name, format::Process& record);

void note_figures(const sources::PidStat& stat, format::Process& record);
void note_open_files(int process_dir, format::Process& record);
// Memory by kind, descriptors, limits, I/O, wait channel: several small files.
void note_details(int process_dir, format::Process& record);
// Dear: the kernel walks all of them.
void note_mappings(int process_dir, format::Process& record);

}  // namespace holdfast
