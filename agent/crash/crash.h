// Writes a record of the crash for later, then lets the crash end as it would have without us.
#pragma once

namespace holdfast::agent {

// Installs the handlers (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) unless the program ignores them.
void watch_crashes();

// In a Python process, also the signals that people and schedulers send (SIGTERM, SIGINT, SIGHUP,
// SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU), to learn who sent them. What the program does with them, and
// what it sees when it asks for its handler, stays as it was.
void watch_senders();

}  // namespace holdfast::agent
