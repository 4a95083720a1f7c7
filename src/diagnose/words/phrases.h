// Figures, names and places as people read them, the same in every sentence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "diagnose/autopsy.h"
#include "diagnose/death/witnesses.h"
#include "model/statement.h"

namespace holdfast {

// "train.py (pid 4242)": short, without the directory of the interpreter.
std::string who(const Death& death);
std::string short_command(std::string_view command);

// "498 MiB of 512 MiB (97 %)"
std::string part_of(Bytes part, Bytes whole);

// "oom_kill 0 -> 1"
std::string moved(std::string_view name, std::uint64_t from, std::uint64_t to);

// The exit status as an observation: {"exit status", "SIGKILL"}.
Observation status_of(const Death& death);

// "the limit of /docker/abc"
std::string limit_name(const CgroupLevel& level);

// A round amount at least half as large again: what to try next when the real need is unknown.
Bytes roomier(Bytes limit);

// "12 KiB free of 8.0 MiB, no inodes left"
std::string room_on(const DiskEvidence& disk);

// Shortens one line so that it can be quoted.
std::string shortened(std::string_view line);

// "train.py:42", with its folders and without.
std::string short_place(const Where& where);
std::string file_and_line(Where where);

// "slurmstepd (pid 812, uid 0)"
std::string sender_of(const SignalSeen& signal);

// "foo() in libfoo.so", or the library alone.
std::string spelled(const NativePlace& place);

}  // namespace holdfast
