// What Python sees of the agent: a module `_holdfast_agent` of C functions, made by the
// interpreter's own API, which is found with dlsym, so that one agent serves every CPython. It is
// an attribute of the built-in module `_imp`, which every interpreter has and nobody looks at: a
// new name in sys.modules would disturb a program that is iterating over it.
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
//     calls report(*args) (errors swallowed), then returns function(*args, **kwargs); with None
//     for a function it only reports
//     Both look like what they replace: like a built-in, or in every attribute a Python function.
// exit_called(status) -> None       records the caller's Python stack as an exit call
// run_directory() -> str | None
// attempt(function, *args) -> None  calls it; a failure is noted, not raised
// hook(name) -> module              one of agent/hooks/
// knock() -> None                   asks for a visit, as knock_at_import does
// over() -> None                    the interpreter is about to end: leave it alone from now on
// watch_launches() -> None          torch's kernel launches are remembered from now on
// backward() -> None                a backward pass begins at the caller's line
// keep_launches(elsewhere=0) -> None
//     writes the launches that may have failed into the black box; 1: others launch kernels, too
// headroom() -> (int, int) | None   what is left below the memory limit, and the limit, asked now
// crossing() -> int                 a step ended; 1: another like it will not fit (guard on)
// brink_called(signal, frame) -> None
//     Python's handler for the call at the brink; raises BrinkError where it has to
// listen(error) -> None             the handler is in place, and raises `error`
// wait_brink(seen, milliseconds) -> int
//     sleeps until the supervisor sees memory nearly used up; returns how often that was
//
// Every function swallows its own failures and raises only TypeError, except brink_called. An
// exception that a signal handler of the program raises while our Python code runs is passed on.
#pragma once

namespace holdfast::agent {

// Called often and from anywhere (see heap.h on_sample): asks the interpreter, when one is running,
// to call us back on its main thread.
void knock_on_python();
// The same, where a module is about to be imported.
void knock_at_import();

// From Python's own end on, nothing of it is touched any more.
void leave_python();

}  // namespace holdfast::agent
