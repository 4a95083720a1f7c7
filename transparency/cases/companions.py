"""Tools beside or around a program: other preloads, debuggers, namespaces, frameworks."""

from __future__ import annotations

from transparency.case import argv, sh

_WORK = (
    "import threading, os; x = [bytearray(n) for n in range(0, 100000, 7)];"
    "t = threading.Thread(target=lambda: [bytearray(999) for _ in range(999)]); t.start(); t.join();"
    "print(len(x), os.system('exit 3') >> 8)"
)
_LIBRARIES = ("jemalloc", "tcmalloc", "faketime")
_GEVENT = (
    "from gevent import monkey; monkey.patch_all(); import gevent, subprocess, time, signal, os\n"
    "gevent.joinall([gevent.spawn(time.sleep, .01) for _ in range(50)])\n"
    "print(subprocess.run(['echo', 'x'], stdout=-1).stdout)\n"
    "seen = []; gevent.signal_handler(signal.SIGUSR1, seen.append, 1); os.kill(os.getpid(), 10);"
    " gevent.sleep(.1); print(seen)\nos.fork() or os._exit(3); print(os.wait()[1])\n1/0"
)
_UVLOOP = (
    "import asyncio, uvloop, os, signal\nasync def m():\n"
    " p = await asyncio.create_subprocess_exec('sh', '-c', 'echo c; exit 4', stdout=-1)\n"
    " print((await p.communicate())[0], p.returncode)\n"
    " e = asyncio.Event(); asyncio.get_running_loop().add_signal_handler(10, e.set)\n"
    " os.kill(os.getpid(), 10); await e.wait(); print('signal')\nuvloop.install(); asyncio.run(m())"
)
_NUMPY = "import numpy as n; a = n.arange(1e6).reshape(1000, 1000); print((a @ a).sum())"
_TESTS = (
    'printf \'import os, pytest\\n@pytest.mark.parametrize("n", range(12))\\n'
    'def test_n(n, capfd):\\n    os.system("echo x"); assert capfd.readouterr().out == "x\\\\n"\\n'
    "def test_bad(): assert 0\\ndef test_exit(): os._exit(3) if 0 else None\\n' >test_x.py; "
)
_APART = "unshare --pid --fork --mount-proc"

CASES = [
    *(
        argv(
            f"companions.preload.{name}",
            "{python}",
            "-c",
            _WORK,
            needs=(f"lib:{name}",),
            env={"LD_PRELOAD": "{lib:%s}" % name, "FAKETIME": "@2020-01-01 00:00:00"},
        )
        for name in _LIBRARIES
    ),
    *(
        argv(
            f"companions.preload-c.{name}",
            "{c:children}",
            "many",
            needs=(f"lib:{name}",),
            env={"LD_PRELOAD": "{lib:%s}" % name},
        )
        for name in _LIBRARIES
    ),
    *(
        argv(
            f"companions.preload-facts.{name}",
            "{c:facts}",
            needs=(f"lib:{name}",),
            env={"LD_PRELOAD": "{lib:%s}" % name},
            mask="FAKETIME_SHARED=.*",
        )
        for name in _LIBRARIES
    ),
    # By its checks alone a program that writes behind its block is stopped.
    argv(
        "companions.preload.malloc-check",
        "{c:ends}",
        "overrun",
        env={"LD_PRELOAD": "{lib:libc_malloc_debug.so.0}", "MALLOC_CHECK_": "3"},
        needs=("lib:libc_malloc_debug.so.0",),
    ),
    argv("companions.preload-missing", "{c:lines}", "2", env={"LD_PRELOAD": "/no/such/library.so"}),
    argv(
        "companions.faketime-date",
        "date",
        "+%Y",
        needs=("lib:faketime",),
        env={"LD_PRELOAD": "{lib:faketime}", "FAKETIME": "@2020-01-01 00:00:00"},
    ),
    argv("companions.asan", "{asan:children}", "many", env={"ASAN_OPTIONS": "detect_leaks=0"}),
    argv(
        "companions.asan.lines",
        "{asan:lines}",
        "50",
        "both",
        out="one",
        env={"ASAN_OPTIONS": "detect_leaks=0"},
    ),
    sh(
        "companions.asan.finds",
        "RUN {asan:ends} free 2>&1 | grep -o 'attempting double-free' | head -1;"
        " echo ${PIPESTATUS[0]}",
        env={"ASAN_OPTIONS": "color=never"},
    ),
    sh(
        "companions.asan.segv",
        "RUN {asan:ends} segv 2>&1 | grep -o 'SEGV on unknown' | head -1; echo ${PIPESTATUS[0]}",
    ),
    argv(
        "companions.valgrind",
        "valgrind",
        "-q",
        "--error-exitcode=9",
        "{c:children}",
        "wait-any",
        needs=("valgrind",),
        seconds=60,
    ),
    argv(
        "companions.valgrind.lines",
        "valgrind",
        "-q",
        "{c:lines}",
        "5",
        needs=("valgrind",),
        seconds=60,
    ),
    sh(
        "companions.valgrind.finds",
        "RUN valgrind -q --error-exitcode=9 {c:ends} free >/dev/null 2>&1; echo $?",
        needs=("valgrind",),
        seconds=60,
    ),
    sh(
        "companions.gdb",
        "RUN gdb -q -nx -batch -ex 'break main' -ex run -ex continue --args {c:lines} 2"
        " 2>&1 | grep -E '^(out|err|Breakpoint)' | cut -c 1-12",
        needs=("gdb", "works:ptrace"),
        seconds=60,
    ),
    sh(
        "companions.gdb.crash",
        "RUN gdb -q -nx -batch -ex run -ex 'print $_siginfo.si_signo' --args {c:ends}"
        " segv 2>&1 | grep -E 'SIGSEGV|^.1 ='",
        needs=("gdb", "works:ptrace"),
        seconds=60,
    ),
    sh(
        "companions.strace",
        "RUN strace -f -o trace sh -c 'echo traced; exit 3'; echo $?; grep -c exited"
        " trace; rm trace",
        needs=("works:ptrace",),
    ),
    sh(
        "companions.strace-around",
        "strace -f -o trace RUN sh -c 'echo traced; exit 3'; echo $?; rm trace",
        needs=("works:ptrace",),
    ),
    sh("companions.ltrace-like-ptrace", "RUN {c:tracer} {c:lines} 3", needs=("works:ptrace",)),
    argv(
        "companions.unshare.user",
        "unshare",
        "--user",
        "--map-root-user",
        "id",
        "-u",
        needs=("works:unshare-user",),
    ),
    sh(
        "companions.unshare.pid",
        f"RUN {_APART} sh -c 'echo $$; exit 3'; echo $?",
        root=True,
        needs=("works:unshare-pid",),
    ),
    sh(
        "companions.unshare.inside",
        f"{_APART} RUN sh -c 'echo out; exit 3'; echo $?",
        root=True,
        needs=("works:unshare-pid",),
    ),
    sh(
        "companions.unshare.net",
        "RUN unshare --net sh -c 'echo cut off; exit 4'; echo $?",
        root=True,
        needs=("works:unshare-net",),
    ),
    sh(
        "companions.unshare.mount",
        "RUN unshare --mount sh -c 'mount -t tmpfs t /mnt && echo on; ls /mnt'",
        root=True,
        needs=("works:unshare-net",),
    ),
    sh(
        "companions.tmpfs-over-agent",
        "RUN unshare --mount sh -c 'mount -t tmpfs t $D && /bin/echo still; exit 3'; echo $?",
        root=True,
        needs=("works:unshare-net",),
        env={"D": "/srv"},
    ),
    sh(
        "companions.tmux",
        "RUN tmux -L t$$ -f /dev/null new -d 'echo in tmux >made; sleep .1';"
        " for i in $(seq 100); do [ -s made ] && break; sleep .05; done; cat made;"
        " tmux -L t$$ kill-server 2>/dev/null; :",
        needs=("tmux",),
        env={"TERM": "xterm"},
    ),
    argv("companions.gevent", "{with:gevent}", "-c", _GEVENT, needs=("module:gevent",)),
    argv("companions.uvloop", "{with:uvloop}", "-c", _UVLOOP, needs=("module:uvloop",)),
    argv(
        "companions.numpy",
        "{with:numpy}",
        "-c",
        _NUMPY,
        needs=("module:numpy",),
        env={"OPENBLAS_NUM_THREADS": "2"},
    ),
    sh(
        "companions.pytest",
        _TESTS + "RUN {with:pytest} -m pytest -q -p no:cacheprovider --no-header"
        " test_x.py 2>&1 | sed 's/ in .*//'; echo ${PIPESTATUS[0]}; rm -r test_x.py __pycache__",
        needs=("module:pytest",),
        env={"PYTHONDONTWRITEBYTECODE": ""},
    ),
    sh(
        "companions.pytest-xdist",
        _TESTS + "RUN {with:xdist} -m pytest -q -n 2 -p no:cacheprovider"
        " test_x.py 2>&1 | grep ' passed' | sed 's/ in .*//'; echo ${PIPESTATUS[0]}; rm -rf test_x.py __pycache__",
        needs=("module:xdist",),
        seconds=60,
    ),
    argv(
        "companions.joblib",
        "{with:joblib}",
        "-c",
        "import joblib\nprint(joblib.Parallel(2)(joblib.delayed(pow)(n, 2) for n in range(9)))",
        needs=("module:joblib",),
        seconds=60,
    ),
    argv(
        "companions.dill-multiprocess",
        "{with:multiprocess}",
        "-c",
        "import multiprocess as m\nwith m.Pool(2) as p: print(p.map(lambda n: n * n, range(5)))",
        needs=("module:multiprocess",),
    ),
    argv(
        "companions.greenlet",
        "{with:greenlet}",
        "-c",
        "import greenlet\n"
        "g = greenlet.greenlet(lambda: 1/0)\ntry: g.switch()\nexcept ZeroDivisionError: print('caught')",
        needs=("module:greenlet",),
    ),
    argv(
        "companions.psutil",
        "{with:psutil}",
        "-c",
        "import psutil; p = psutil.Process(); print("
        "p.num_threads(), p.children(), p.open_files(), p.status(), p.name()[:6])",
        needs=("module:psutil",),
    ),
    argv(
        "companions.setproctitle",
        "{with:setproctitle}",
        "-c",
        "import setproctitle as s;"
        "s.setproctitle('other'); print(open('/proc/self/cmdline').read().strip('\\0'))",
        needs=("module:setproctitle",),
    ),
    argv(
        "companions.ipython",
        "{with:IPython}",
        "-m",
        "IPython",
        "--no-banner",
        "--colors=NoColor",
        "-c",
        "print(1); 1/0",
        needs=("module:IPython",),
        env={"IPYTHONDIR": "ipython-home"},
        seconds=60,
    ),
    sh(
        "companions.gunicorn-like-prefork",
        "RUN {python} -c 'import os, signal, time\n"
        "kids = []\nfor n in range(3):\n  p = os.fork()\n  if p == 0:\n    signal.signal(15, lambda *a:"
        ' os._exit(4)); os.write(1, b"r"); time.sleep(20)\n  kids.append(p)\n'
        "time.sleep(.2)\nfor p in kids: os.kill(p, 15)\n"
        "print([os.waitpid(p, 0)[1] >> 8 for p in kids])'",
    ),
]
