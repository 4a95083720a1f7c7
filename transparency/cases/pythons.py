"""Python in all its modes, and on every interpreter of this machine."""

from __future__ import annotations

from transparency.case import Case, argv, sh
from transparency.toolbox import VERSIONS

_TREES = (
    "pool-fork pool-spawn pool-forkserver process-fork process-spawn process-forkserver executor "
    "broken-pool threads many-threads asyncio subprocess fork fork-in-thread deep exec-chain daemon "
    "shared-memory spawn-posix attributes"
).split()
_FLAGS = [
    "-I",
    "-S",
    "-E",
    "-s",
    "-B",
    "-O",
    "-OO",
    "-b",
    "-u",
    "-q",
    "-v",
    "-Wd",
    "-Xdev",
    "-Xutf8",
    "-Xfaulthandler",
    "-Xtracemalloc",
    "-Ximporttime",
    "-Xint_max_str_digits=0",
]

_INLINE = {
    "exception": "1/0",
    "exception-chained": "try: 1/0\nexcept Exception as e: raise ValueError('v') from e",
    "syntax-error": "def (",
    "exit-3": "import sys; sys.exit(3)",
    "exit-text": "import sys; sys.exit('said so')",
    "exit-none": "raise SystemExit",
    "exit-big": "import sys; sys.exit(1000)",
    "exit-negative": "import sys; sys.exit(-1)",
    "exit-object": "import sys; sys.exit([1])",
    "os-exit": "import os; os._exit(6)",
    "abort": "import os; os.abort()",
    "keyboard-interrupt": "raise KeyboardInterrupt",
    "atexit": "import atexit; atexit.register(print, 'at exit'); print('main')",
    "atexit-raises": "import atexit; atexit.register(lambda: 1/0)",
    "thread-raises": "import threading; t = threading.Thread(target=lambda: 1/0); t.start(); t.join()",
    "thread-left": "import threading, time; threading.Thread(target=lambda: (time.sleep(.1), print('t'))).start()",
    "daemon-thread": "import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
    "del-raises": "class A:\n def __del__(self): 1/0\nA()",
    "excepthook": "import sys; sys.excepthook = lambda *a: print('hook', a[0].__name__); 1/0",
    "excepthook-raises": "import sys\ndef hook(*a): raise KeyError\nsys.excepthook = hook\n1/0",
    "faulthandler": "import faulthandler, sys; print(faulthandler.is_enabled())",
    "faulthandler-segv": "import faulthandler, ctypes; faulthandler.enable(); ctypes.string_at(0)",
    "faulthandler-timeout": "import faulthandler, time; faulthandler.dump_traceback_later(.05); time.sleep(.3)",
    "faulthandler-registered": "import faulthandler, os; faulthandler.register(10); os.kill(os.getpid(), 10)",
    "segv": "import ctypes; ctypes.string_at(0)",
    "fatal-error": "import ctypes; ctypes.pythonapi.Py_FatalError(b'gave up')",
    "recursion": "def f(): f()\ntry: f()\nexcept RecursionError as e: print(e)",
    "memory-error": "try: bytearray(1 << 60)\nexcept MemoryError: print('refused')",
    "memory-error-uncaught": "bytearray(1 << 60)",
    "warnings": "import warnings; warnings.warn('careful'); open('/dev/null')",
    "stdout-closed": "import sys; sys.stdout.close(); print('x')",
    "stderr-closed": "import sys; sys.stderr.close(); 1/0",
    "fd-2-closed": "import os; os.close(2); os.open('/dev/null', os.O_RDWR); os.write(1, b'on\\n')",
    "stderr-dup": "import os\nf = os.open('err', os.O_WRONLY | os.O_CREAT); os.dup2(f, 2); os.write(2, b'there')",
    "unicode": "print('\\u00e9\\u4e2d\\U0001f600', flush=True)",
    "surrogate": "print('\\udce9')",
    "input": "print(input())",
    "stdin-all": "import sys; print(len(sys.stdin.read()))",
    "resource": "import resource; print(resource.getrlimit(7)); resource.setrlimit(4, (0, 0))",
    "mmap": "import mmap; m = mmap.mmap(-1, 1 << 20); m[:3] = b'abc'; print(m[:3])",
    "tracemalloc": "import tracemalloc; tracemalloc.start(); x = [0] * 1000; print(tracemalloc.is_tracing())",
    "settrace": "import sys\nn = [0]\ndef t(*a): n[0] += 1; return t\nsys.settrace(t)\n"
    "def f():\n x = 1\n return x\nf(); sys.settrace(None); print(n)",
    "setprofile": "import sys\nn = []\nsys.setprofile(lambda *a: n.append(a[1]))\nlen([]); sys.setprofile(None); print(n)",
    "audit": "import sys\nn = set()\nsys.addaudithook(lambda e, a: n.add(e))\nopen('/dev/null').close(); compile('1', '', 'eval'); print(sorted(n))",
    "gc": "import gc\nprint(len(gc.callbacks), gc.get_count()[1:] >= (0, 0), gc.collect() >= 0)",
    "refleak": "import sys; print(sys.getrefcount(object()), len(sys.modules) > 20)",
    "subinterpreter": "try:\n import _xxsubinterpreters as i\nexcept ImportError:\n i = None\nif i: x = i.create(); i.run_string(x, 'print(1+1, flush=True)'); i.destroy(x)",
    "fork-output": "import os, sys\nprint('buffered')\nif os.fork() == 0: sys.exit(0)\nos.wait()",
    "ctypes-errno": "import ctypes, os\nl = ctypes.CDLL(None, use_errno=True); l.open(b'/no', 0); print(ctypes.get_errno())",
    "malloc-errno": "import ctypes\nl = ctypes.CDLL(None, use_errno=True)\nl.malloc.restype = ctypes.c_void_p\n"
    "ctypes.set_errno(77); p = l.malloc(ctypes.c_size_t(100)); print(ctypes.get_errno(), bool(p)); l.free(ctypes.c_void_p(p));"
    " print(l.malloc(ctypes.c_size_t(1 << 62)), ctypes.get_errno())",
    "dlopen": "import ctypes; print(ctypes.CDLL('libm.so.6').abs(-3))",
    "locale": "import locale; print(locale.setlocale(locale.LC_ALL, ''), locale.getpreferredencoding())",
    "socket": "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))",
    "time": "import time; print(time.get_clock_info('monotonic').resolution, time.tzname)",
    "sched": "import os; print(os.cpu_count(), os.getpriority(0, 0), os.getloadavg()[0] >= 0)",
    "hash": "print(hash('stable'), list({'a', 'b', 'c'}))",
    "random-seeded": "import random; random.seed(3); print(random.random())",
    "import-heavy": "import json, decimal, sqlite3, ssl, xml.dom, http.server, unittest, asyncio; print(len(json.__all__))",
    "asyncio-signals": "import asyncio, os, signal\nasync def m():\n l = asyncio.get_running_loop(); e = asyncio.Event()\n"
    " l.add_signal_handler(10, e.set); os.kill(os.getpid(), 10); await e.wait(); print('seen')\nasyncio.run(m())",
    "asyncio-exception": "import asyncio\nasync def m(): raise ValueError(3)\nasyncio.run(m())",
    "logging": "import logging; logging.warning('w'); logging.basicConfig(); logging.error('e')",
    "unraisable": "import sys; sys.unraisablehook = lambda u: print('hook', u.exc_type.__name__)\nclass A:\n def __del__(self): 1/0\nA()",
    "code-interact": "import code; code.interact(banner='b', exitmsg='x')",
    "runpy": "import runpy; runpy.run_module('this')",
    "long-traceback": "def f(n): return f(n - 1) if n else 1/0\nf(200)",
    "proc-title": "import os; open('/proc/self/comm', 'w').write('renamed'); print(open('/proc/self/comm').read())",
    "prctl-dumpable": "import ctypes, os; l = ctypes.CDLL(None); l.prctl(4, 0); print(l.prctl(3), os.getpid() > 0)",
    "setrlimit-as": "import resource as r; r.setrlimit(r.RLIMIT_AS, (1 << 29,) * 2)\n"
    "try: bytearray(1 << 30)\nexcept MemoryError: print('refused')",
    "close-all": "import os; os.closerange(3, 4096); print('all closed'); os.system('echo still')",
    "sigaltstack": "import ctypes\nl = ctypes.CDLL(None)\nb = (ctypes.c_long * 3)()\nl.sigaltstack(None, b); print(b[1] & 0xffffffff)",
}


def _on(version: str) -> list[Case]:
    python = "{python:%s}" % version
    return [
        argv(f"pythons.{version}.facts", python, "{programs}/facts.py", "one", "two words"),
        argv(f"pythons.{version}.exception", python, "-c", "def f(): 1/0\nf()"),
        argv(f"pythons.{version}.segv", python, "-c", "import ctypes; ctypes.string_at(0)"),
        argv(f"pythons.{version}.pool", python, "{programs}/trees.py", "pool-fork"),
        argv(f"pythons.{version}.threads", python, "{programs}/trees.py", "threads"),
        argv(f"pythons.{version}.recursion", python, "{programs}/recursion.py"),
        argv(f"pythons.{version}.stand-ins", python, "{programs}/stand_ins.py"),
    ]


CASES = [
    *(
        argv(
            f"pythons.inline.{name}", "{python}", "-c", code, stdin=b"a line\n", mask=r"0x[0-9a-f]+"
        )
        for name, code in _INLINE.items()
    ),
    *(
        argv(
            f"pythons.flag.{flag.lstrip('-')}",
            "{python}",
            flag,
            "-c",
            "import sys; print(sys.flags); print('e', file=sys.stderr)",
        )
        for flag in _FLAGS
        if flag not in ("-v", "-Ximporttime")
    ),
    *(
        argv(f"pythons.facts.{flag.lstrip('-')}", "{python}", flag, "{programs}/facts.py")
        for flag in ("-I", "-S", "-E", "-Xdev")
    ),
    *(argv(f"pythons.trees.{how}", "{python}", "{programs}/trees.py", how) for how in _TREES),
    *(case for version in VERSIONS for case in _on(version)),
    argv("pythons.facts", "{python}", "{programs}/facts.py", "one", "two words", ""),
    argv("pythons.facts.one-pipe", "{python}", "{programs}/facts.py", out="one"),
    argv("pythons.facts.pty", "{python}", "{programs}/facts.py", out="pty"),
    argv("pythons.facts.no-stdin", "{python}", "{programs}/facts.py", stdin="closed"),
    argv("pythons.stdin", "{python}", stdin=b"import sys; print(sys.argv, __name__); 1/0\n"),
    argv("pythons.stdin-dash", "{python}", "-", "word", stdin=b"import sys; print(sys.argv)\n"),
    argv("pythons.interactive-pipe", "{python}", "-i", stdin=b"1+1\nexit(4)\n"),
    argv("pythons.module", "{python}", "-m", "json.tool", stdin=b'{"a": [1, 2]}'),
    argv("pythons.module-missing", "{python}", "-m", "no.such.module"),
    argv("pythons.file-missing", "{python}", "no-such-file.py"),
    argv("pythons.version", "{python}", "-VV"),
    argv("pythons.help", "{python}", "-h"),
    argv("pythons.unittest", "{python}", "-m", "unittest", "-q", "no_such", mask=r"in [0-9.]+s"),
    argv(
        "pythons.timeit",
        "{python}",
        "-m",
        "timeit",
        "-n",
        "1",
        "-r",
        "1",
        "-u",
        "sec",
        "-s",
        "pass",
        "raise SystemExit(3)",
    ),
    argv("pythons.pdb", "{python}", "-m", "pdb", "{programs}/trees.py", "threads", stdin=b"c\nq\n"),
    argv(
        "pythons.cprofile",
        "{python}",
        "-c",
        "import cProfile; cProfile.run('1+1', '/dev/null'); print(1)",
        env={"PYTHONDONTWRITEBYTECODE": "1"},
    ),
    argv(
        "pythons.trace",
        "{python}",
        "-m",
        "trace",
        "--count",
        "-C",
        "t",
        "--summary",
        "{programs}/raise_value.py",
    ),
    argv("pythons.malloc-debug", "{python}", "-c", "print([0] * 3)", env={"PYTHONMALLOC": "debug"}),
    argv(
        "pythons.malloc-malloc",
        "{python}",
        "-c",
        "print(sum(range(10**6)))",
        env={"PYTHONMALLOC": "malloc"},
    ),
    argv("pythons.script-error", "{python}", "{programs}/raise_value.py"),
    argv("pythons.script-error.one", "{python}", "{programs}/raise_value.py", out="one"),
    argv("pythons.script-error.pty", "{python}", "{programs}/raise_value.py", out="pty"),
    argv(
        "pythons.startup-ignored", "{python}", "-c", "print(1)", env={"PYTHONSTARTUP": "/no/such"}
    ),
    sh(
        "pythons.zipapp",
        "mkdir z; echo 'print(__name__, __file__[-6:])' >z/__main__.py;"
        " {python} -m zipapp z; RUN {python} z.pyz; rm -r z z.pyz",
    ),
    sh(
        "pythons.folder",
        "mkdir z; echo 'print(__package__)' >z/__main__.py; RUN {python} z; rm -r z",
    ),
    sh(
        "pythons.venv",
        "{python} -m venv --without-pip v && RUN v/bin/python -c 'import sys;"
        " print(sys.prefix != sys.base_prefix, sys.executable)'; rm -rf v",
    ),
    sh(
        "pythons.shebang",
        "printf '#!{python}\\nprint(5)\\nraise SystemExit(5)' >s; chmod +x s; RUN ./s",
    ),
    sh(
        "pythons.pyc",
        "echo 'print(7)' >m.py; {python} -m compileall -q -b m.py; rm m.py;"
        " RUN {python} m.pyc; rm m.pyc",
    ),
    sh(
        "pythons.usercustomize",
        "echo 'print(\"customized\")' >sitecustomize.py;"
        " PYTHONPATH=. PYTHONDONTWRITEBYTECODE=1 RUN {python} -c 'print(1)'; rm sitecustomize.py",
    ),
    sh(
        "pythons.http-server",
        "RUN {python} -c 'import http.server, threading, urllib.request as u\n"
        "class Q(http.server.SimpleHTTPRequestHandler):\n def log_message(self, *a): pass\n"
        's = http.server.HTTPServer(("127.0.0.1", 0), Q); threading.Thread(target=s.serve_forever,'
        " daemon=True).start()\np = u.ProxyHandler(dict())\n"
        'print(u.build_opener(p).open("http://127.0.0.1:%d/" % s.server_port).status)\'',
    ),
]
