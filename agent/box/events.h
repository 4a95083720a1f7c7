// Records what happened: each call writes one record into this process's slot, and does nothing if
// there is no slot. Safe from any thread; safe in signal handlers only where a comment says so.
#pragma once

#include <cstdint>

#include "agent/base/text.h"
#include "record/agent_format.h"

namespace holdfast::agent {

void note(format::AgentNoteKind kind, Text text, std::int64_t a = 0, std::int64_t b = 0);

// The program was sent a signal. Async-signal-safe.
void note_signal(int number, int code, int sender_pid, int sender_uid);

// The program asked to end: from sys.exit (`sys_exit`), or from _exit/exit below Python.
void note_exit(format::AgentExitKind kind, int status);

// The first step whose loss was not finite, if a hundred steps have passed since and none of the
// last losses was finite; 0: training goes on. Answers once in so many steps.
std::uint64_t worthless_since();

// A step of training ended. `loss` counts only with has_loss. GPU figures: format::unknown.
void note_step(bool has_loss, double loss, std::uint64_t gpu_allocated, std::uint64_t gpu_reserved,
               Text source);
void note_epoch(std::uint64_t epoch);

struct ExceptionFrame {
    Text file, function;
    std::uint32_t line;
};
struct ExceptionText {
    Text thread, type, message, causes;
    bool in_main_thread = true;
    const ExceptionFrame* frames = nullptr;  // innermost first
    std::uint32_t frame_count = 0;
};
void note_exception(const ExceptionText& what);

// When the main thread was asked to run our code between two lines; 0: it has run it.
void note_visit_asked(std::int64_t time);

// A container that grows, by the name that reaches it; no name: this place is empty.
struct KeeperText {
    Text name, kind, file;
    std::uint64_t items = 0, bytes = 0, grown = 0;
    std::uint32_t graphs = 0;
};
void note_keeper(std::uint32_t place, const KeeperText& what);

}  // namespace holdfast::agent
