"""What a program writes: bytes, their order, and what it writes to."""

from __future__ import annotations

import os
import socket
import subprocess

from transparency.case import argv, drive, sh
from transparency.stage import Stage

_WAYS = (
    "pipes one files append onefile sockets pty ptyerr ptyout closed2 closed1 closed12 "
    "full2 full1 null2 readonly2 nonblocking fifo"
).split()


@drive("output.17-lines-read-after-wait")
def lines_then_wait(stage: Stage):
    """The usual order: wait first, read later."""
    loop = "i=0; while [ $i -lt 17 ]; do echo w >&2; sleep .02; i=$((i+1)); done"
    running = stage.start("sh", "-c", loop, stderr=subprocess.PIPE)
    ended = stage.wait(running)
    return {"status": ended, "stderr": running.stderr.read() if ended != "hangs" else b""}


@drive("output.200-lines-read-after-wait")
def many_lines_then_wait(stage: Stage):
    running = stage.start(
        "{c:lines}", "200", "both", stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    ended = stage.wait(running)
    if ended == "hangs":
        return {"status": ended}
    return {"status": ended, "stdout": running.stdout.read(), "stderr": running.stderr.read()}


@drive("output.pipe-filled-to-the-brim-read-after-wait")
def full_pipe(stage: Stage):
    """Exactly as much as a pipe holds, in one write, and nobody reads before the end."""
    code = "import os; os.write(2, b'x' * 65536)"
    running = stage.start("{python}", "-c", code, stderr=subprocess.PIPE)
    ended = stage.wait(running)
    return {"status": ended, "stderr": running.stderr.read() if ended != "hangs" else b""}


@drive("output.more-than-a-pipe-holds-blocks")
def blocks(stage: Stage):
    """One byte more than a pipe holds: the program is still in its write when nobody reads."""
    code = "import os,sys; os.write(1, b'a'); os.write(2, b'x' * 70000); os.write(1, b'b')"
    running = stage.start("{python}", "-c", code, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first = running.stdout.read(1)
    got = b""
    while len(got) < 70000:
        got += os.read(running.stderr.fileno(), 4096)
    return {"first": first, "stderr": got, "status": stage.wait(running)}


@drive("output.more-than-a-pipe-holds-does-not-wait")
def does_not_wait(stage: Stage):
    """The program itself wants its writes not to wait, so nobody waits for the reader at its end."""
    code = "import os; os.set_blocking(2, False); os.write(2, b'x' * 1000000)"
    running = stage.start("{python}", "-c", code, stderr=subprocess.PIPE)
    ended = stage.wait(running)
    return {"status": ended, "first": running.stderr.read(65536) if ended != "hangs" else b""}


@drive("output.slow-reader")
def slow_reader(stage: Stage):
    running = stage.start("{c:lines}", "3000", "err", "20", stderr=subprocess.PIPE)
    got = bytearray()
    while more := os.read(running.stderr.fileno(), 777):
        got += more
    return {"stderr": bytes(got), "status": stage.wait(running)}


@drive("output.reader-leaves-stderr")
def reader_leaves(stage: Stage):
    running = stage.start("{c:lines}", "100000", "err", stderr=subprocess.PIPE)
    first = running.stderr.readline()
    running.stderr.close()
    return {"first": first, "status": stage.wait(running)}


@drive("output.reader-leaves-stdout")
def reader_leaves_stdout(stage: Stage):
    running = stage.start("{c:lines}", "100000", "out", stdout=subprocess.PIPE)
    first = running.stdout.readline()
    running.stdout.close()
    return {"first": first, "status": stage.wait(running)}


@drive("output.reader-leaves-before-the-first-byte")
def reader_never_there(stage: Stage):
    reader, writer = os.pipe()
    os.close(reader)
    running = stage.start("{c:lines}", "3", "err", stderr=writer)
    return {"status": stage.wait(running)}


@drive("output.stderr-socket-shut")
def socket_shut(stage: Stage):
    ours, theirs = socket.socketpair()
    running = stage.start("{c:lines}", "100000", "err", stderr=theirs.fileno())
    theirs.close()
    first = ours.recv(6)
    ours.close()
    return {"first": first, "status": stage.wait(running)}


@drive("output.line-by-line-before-the-next")
def line_by_line(stage: Stage):
    """Output arrives before the program does the next thing."""
    code = (
        "import sys\n"
        "for line in sys.stdin: print('err', line.strip(), file=sys.stderr, flush=True);"
        " print('out', line.strip(), flush=True)"
    )
    pipe = subprocess.PIPE
    running = stage.start("{python}", "-c", code, stdin=pipe, stdout=pipe, stderr=pipe)
    seen = []
    for number in range(30):
        running.stdin.write(b"%d\n" % number)
        running.stdin.flush()
        seen += [running.stdout.readline(), running.stderr.readline()]
    running.stdin.close()
    return {"lines": b"".join(seen), "status": stage.wait(running)}


@drive("output.stdin-left-unread")
def stdin_left(stage: Stage):
    """A program that reads one line leaves the rest to the next one."""
    reader, writer = os.pipe()
    os.write(writer, b"one\ntwo\nthree\n")
    os.close(writer)
    running = stage.start("sh", "-c", "read a; echo $a", stdin=reader, stdout=subprocess.PIPE)
    ended = stage.wait(running)
    return {"status": ended, "stdout": running.stdout.read(), "rest": os.read(reader, 100)}


CASES = [
    *(argv(f"output.lines.{way}", "{c:lines}", "50", "both", out=way) for way in _WAYS),
    *(
        argv(f"output.python-lines.{way}", "{python}", "-c", code, out=way)
        for way in (
            "pipes",
            "one",
            "ptyerr",
            "full2",
            "full1",
            "closed2",
            "closed12",
            "pty",
            "append",
        )
        for code in (
            "import sys\nfor i in range(20): print('o', i, flush=True); print('e', i, file=sys.stderr)",
        )
    ),
    sh(
        "output.fifo-open-both-ways",
        "mkfifo f; RUN sh -c 'echo hi >&2; read x <&2; echo got $x' 2<>f; rm f",
    ),
    argv("output.facts-of-streams.sockets", "{c:facts}", out="sockets"),
    argv("output.lines.static", "{static:lines}", "50", "both", out="one"),
    argv("output.huge-stdout", "{c:lines}", "200000", "out", "100"),
    argv("output.huge-stderr", "{c:lines}", "200000", "err", "100"),
    argv("output.huge-both-one-pipe", "{c:lines}", "30000", "both", "300", out="one"),
    argv("output.huge-to-files", "{c:lines}", "30000", "both", "100", out="files"),
    argv("output.long-lines", "{c:lines}", "20", "both", "200000", out="one"),
    argv("output.twin-of-stderr", "{c:lines}", "500", "both", "0", "twin"),
    argv("output.twin-of-stderr.one", "{c:lines}", "500", "both", "0", "twin", out="one"),
    argv(
        "output.binary",
        "{python}",
        "-c",
        "import sys; b = bytes(range(256)) * 99;"
        "sys.stdout.buffer.write(b); sys.stderr.buffer.write(b[::-1])",
    ),
    argv("output.no-newline", "printf", "no newline"),
    argv("output.no-newline.stderr", "sh", "-c", "printf 'no newline' >&2"),
    argv("output.nothing", "true"),
    argv("output.escapes", "printf", r"\033[31mred\033[0m\007\r\n"),
    argv("output.escapes.pty", "printf", r"\033[31mred\033[0m\007\r\n", out="pty"),
    argv("output.stdin-binary", "cat", stdin=bytes(range(256)) * 5000),
    argv("output.stdin-closed", "cat", stdin="closed"),
    argv("output.stdin-pipe-open", "sh", "-c", "echo not reading", stdin="pipe"),
    argv("output.stderr-reopened", "sh", "-c", "exec 2>other; echo to a file >&2; echo out"),
    argv(
        "output.proc-self-fd-2", "sh", "-c", "echo by name >/dev/stderr; echo more >/proc/self/fd/2"
    ),
    sh("output.pipeline", "RUN {c:lines} 5 both 2>&1 | sort"),
    sh("output.in-a-group", "(RUN {c:lines} 5; echo after; echo after >&2) 2>&1 | cat"),
    sh("output.tee", "RUN {c:lines} 30 2>&1 | tee copy | tail -n 3"),
    sh("output.head", "RUN yes | head -n 2; echo ${PIPESTATUS[0]}"),
    sh(
        "output.head-of-stderr",
        "RUN sh -c 'while :; do echo y >&2; done' 2>&1 >/dev/null |"
        " head -n 1; echo ${PIPESTATUS[0]}",
    ),
    sh(
        "output.sigpipe-ignored",
        "trap '' PIPE; RUN {python} -c 'import os\nwhile True: os.write(2,"
        ' b"x" * 100)\' 2>&1 >/dev/null | head -c 100; echo ${PIPESTATUS[0]}',
    ),
    sh(
        "output.command-substitution",
        "x=$(RUN sh -c 'echo out; echo err >&2; exit 3'); echo \"$? $x\"",
    ),
    sh(
        "output.process-substitution",
        "RUN sh -c 'echo err >&2' 2> >(sed s/err/seen/); wait; sleep .1",
    ),
    sh("output.here-document", "RUN cat <<< 'a word'"),
    sh("output.swapped", "RUN {c:lines} 5 3>&1 1>&2 2>&3 3>&-"),
    sh("output.same-file-twice", "RUN {c:lines} 20 >both 2>both; wc -l <both"),
    sh("output.append-order", "echo first >log; RUN {c:lines} 20 >>log 2>>log; echo last >>log"),
    sh("output.two-at-once", "RUN {c:lines} 30 out >one & RUN {c:lines} 30 err 2>two & wait"),
    sh(
        "output.one-after-another", 'for i in 1 2 3; do RUN sh -c "echo $i; echo $i >&2"; done 2>&1'
    ),
    lines_then_wait,
    many_lines_then_wait,
    full_pipe,
    blocks,
    does_not_wait,
    slow_reader,
    reader_leaves,
    reader_leaves_stdout,
    reader_never_there,
    socket_shut,
    line_by_line,
    stdin_left,
]
