// Records for tests: everything is unknown until a test sets it.
#pragma once

#include <string>
#include <string_view>

#include "record/run_record.h"

namespace holdfast::synthetic {

inline constexpr std::int64_t second = 1'000'000'000;
inline constexpr std::int64_t start = 1'000 * second;  // monotonic start of every synthetic run
inline constexpr const char* boot = "11111111-2222-3333-4444-555555555555";

// A record with every figure set to unknown.
template <class T>
T unseen() {
    T record{};
    std::memset(&record, 0xff, sizeof record);
    record.header = {};
    return record;
}

inline format::Sample sample(std::int64_t at) {
    auto s = unseen<format::Sample>();
    s.time = start + at;
    return s;
}

inline format::Process process(int pid, std::string_view name) {
    auto p = unseen<format::Process>();
    p.pid = pid;
    p.parent = 1;
    p.first_seen = start;
    p.last_seen = start + second;
    p.ended = format::never;
    p.role = format::ProcessRole::main;
    p.state = 'S';
    p.program = format::ProgramKind::other;
    p.is_command = 0;
    set_fixed_text(p.name, name);
    set_fixed_text(p.wait_channel, "");
    set_fixed_text(p.command, name);
    return p;
}

inline Row<format::Cgroup> cgroup(std::size_t slot, std::string_view path,
                                  std::uint32_t levels = 2) {
    Row<format::Cgroup> row{slot, unseen<format::Cgroup>()};
    row.record.last_seen = start + second;
    row.record.version = 2;
    row.record.level_count = levels;
    for (std::uint32_t i = 0; i < format::cgroup_levels; ++i)
        row.record.levels[i].components_up = i;
    for (auto& pid : row.record.strangers) pid = 0;
    for (auto& pid : row.record.strangers_gone) pid = 0;
    set_fixed_text(row.record.path, path);
    return row;
}

inline format::Event event(format::EventKind kind, std::int64_t at, std::string_view text = {}) {
    format::Event e{};
    e.time = start + at;
    e.kind = kind;
    e.text_size = static_cast<std::uint32_t>(std::min(text.size(), sizeof e.text));
    if (!text.empty()) std::memcpy(e.text, text.data(), e.text_size);
    return e;
}

inline format::End end(std::int64_t at, int wait_status) {
    format::End e{};
    e.time = start + at;
    e.time_wall = 2'000'000 * second + at;
    e.wait_status = wait_status;
    e.complete = 1;
    return e;
}

// A run of `python train.py` with pid 100, supervised by pid 99.
inline RunRecord run() {
    RunRecord record;
    record.id = "20260101-000000-000-99";
    record.facts.emplace();
    record.facts->command = {"python", "train.py"};
    record.facts->boot_id = boot;
    record.facts->started = Nanos(start);
    record.facts->started_wall = Nanos(2'000'000 * second);
    record.facts->supervisor_pid = 99;
    record.facts->supervisor_start_ticks = 5;
    record.facts->command_pid = 100;
    record.facts->command_start_ticks = 6;
    record.machine_header.emplace();
    auto command = process(100, "python");
    command.is_command = 1;
    command.program = format::ProgramKind::python;
    record.processes.push_back(command);
    return record;
}

}  // namespace holdfast::synthetic
