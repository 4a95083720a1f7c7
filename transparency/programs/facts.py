"""Prints what a Python program sees of itself and around it, the same in every run."""

import gc
import io
import os
import resource
import signal
import sys
import threading

environment = {k: v for k, v in os.environ.items() if k not in ("TR_STAGE", "_")}
for name in sorted(environment):
    print("environment", name, environment[name])
print("arguments", sys.argv[1:])
for number in sorted(signal.Signals):
    if signal.getsignal(number) is not signal.SIG_DFL:
        shown = signal.getsignal(number)
        print(
            "signal", number.name, getattr(shown, "name", None) or getattr(shown, "__name__", shown)
        )
print("mask", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
print("timers", [signal.getitimer(which)[0] > 0 for which in range(3)])
for name in sorted(dir(resource)):
    if name.startswith("RLIMIT_"):
        print(name, resource.getrlimit(getattr(resource, name)))
print("descriptors", sorted(int(fd) for fd in os.listdir("/proc/self/fd"))[:-1])
print("nice", os.nice(0), "cwd", os.getcwd(), "umask", os.umask(0o022))
print("affinity", sorted(os.sched_getaffinity(0)), "policy", os.sched_getscheduler(0))
print("ids", os.getresuid(), os.getresgid(), os.getgroups())
print("threads", threading.active_count(), [t.name for t in threading.enumerate()])
print("kernel threads", len(os.listdir("/proc/self/task")))
print("group leads session", os.getpgrp() == os.getsid(0))
print("executable", sys.executable, sys.prefix, sys.base_prefix)
print("path", sys.path)
print("flags", sys.flags)
print("modules", sorted(set(sys.modules) - {"resource", "threading", "gc"}))
print("hooks", sys.excepthook.__name__, sys.unraisablehook.__name__, threading.excepthook.__name__)
print("displayhook", sys.displayhook.__name__, "breakpointhook", sys.breakpointhook.__name__)
print("trace", sys.gettrace(), sys.getprofile(), threading._trace_hook, threading._profile_hook)
print("meta_path", [getattr(f, "__name__", type(f).__name__) for f in sys.meta_path])
print("path_hooks", len(sys.path_hooks), "limit", sys.getrecursionlimit(), sys.getswitchinterval())
print("gc", gc.isenabled(), gc.get_threshold(), gc.get_debug(), len(gc.callbacks), gc.garbage)
print(
    "streams",
    [
        (s.encoding, s.errors, s.line_buffering, s.write_through, type(s.buffer).__name__)
        if s
        else None
        for s in (sys.stdin, sys.stdout, sys.stderr)
    ],
)
print(
    "encodings",
    sys.getfilesystemencoding(),
    sys.getdefaultencoding(),
    io.text_encoding(None) if hasattr(io, "text_encoding") else "",
)
print("builtins", sorted(set(dir(__builtins__)) ^ set(dir(object)))[:400])
print("warnings", sys.warnoptions, "dont_write", sys.dont_write_bytecode)
print("main", sorted(globals()))
print("asyncgen", sys.get_asyncgen_hooks(), "coroutine", sys.get_coroutine_origin_tracking_depth())
with open("/proc/self/task/%d/children" % os.getpid()) as file:
    print("children", file.read().split())
