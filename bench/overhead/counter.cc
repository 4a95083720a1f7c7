// Tells callgrind where a bench program's loop begins and ends, so that start-up is not counted.
// Loaded by bench/programs/loop.py; does nothing where the program does not run under valgrind.
#include <valgrind/callgrind.h>

extern "C" void start_counting() { CALLGRIND_START_INSTRUMENTATION; }
extern "C" void stop_counting() { CALLGRIND_STOP_INSTRUMENTATION; }
