// The agent's face towards Python: a module `_holdfast_agent` made of C functions, by the
// interpreter's own API found with dlsym, so that one agent serves every CPython.
//
// step(loss=None, gpu_allocated=-1, gpu_reserved=-1, source="") -> None
// epoch(number) -> None
// note(kind: int, text: str, a: int = 0, b: int = 0) -> None       kinds: AgentNoteKind
// exception(type, message, causes, thread, is_main, frames) -> None
//     frames: list of (file, function, line), innermost first
// watched(function, report) -> callable
//     a built-in that calls `function` with the same arguments; should it raise, calls
//     report(exception) first and then lets it pass. Leaves no frame in any traceback.
// seen(function, report) -> callable
//     calls report(*args) (errors swallowed), then returns function(*args, **kwargs)
// exit_called(status) -> None      records the caller's Python stack as an exit call
// run_directory() -> str | None
// pid-independent; every function swallows its own failures and never raises but TypeError.
#pragma once

namespace holdfast::agent {

// Called often and from anywhere (see heap.h on_sample): asks the interpreter, when one is running,
// to call us back on its main thread.
void knock_on_python();

}  // namespace holdfast::agent
