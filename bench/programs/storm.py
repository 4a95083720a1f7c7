"""Starts many short processes, one after the other: /bin/true (--fork 0) or forks of itself."""

import os

import loop

options = loop.options(fork=0)


def spawn() -> None:
    os.waitpid(os.posix_spawn("/bin/true", ["true"], os.environ), 0)


def fork() -> None:
    child = os.fork()
    if child == 0:
        kept = [str(i) for i in range(1000)]
        os._exit(len(kept) != 1000)
    os.waitpid(child, 0)


loop.measure(fork if options.fork else spawn, options.loops)
