"""Shells and the small programs that scripts are made of."""

from __future__ import annotations

from transparency.case import argv, sh

_SCRIPT = """
trap 'echo bye' EXIT
f() { echo "f $1"; return 3; }
f one; echo $?
( exit 4 ); echo $?
echo a b c | { read x y; echo "$y"; }
sleep 0.05 & wait $!; echo $?
kill -0 $$ && echo alive
echo err >&2
exec 3>third; echo three >&3; exec 3>&-
cd /; pwd
exit 6
"""
_SHELLS = ["sh", "dash", "bash", "zsh", "ksh", "busybox", "fish"]


def _words(shell: str) -> list[str]:
    return ["busybox", "sh"] if shell == "busybox" else [shell]


CASES = [
    *(
        argv(f"shells.script.{shell}", *_words(shell), "-c", _SCRIPT, needs=(shell,))
        for shell in _SHELLS
        if shell != "fish"
    ),
    *(
        argv(f"shells.stdin.{shell}", *_words(shell), stdin=_SCRIPT.encode(), needs=(shell,))
        for shell in _SHELLS
        if shell != "fish"
    ),
    argv(
        "shells.fish",
        "fish",
        "--no-config",
        "-c",
        "echo a; echo b >&2; false; echo $status; exit 4",
        needs=("fish",),
    ),
    argv("shells.login", "bash", "-l", "-c", "shopt login_shell; exit 2"),
    argv("shells.posix", "bash", "--posix", "-c", "set -o | grep posix"),
    argv(
        "shells.jobs",
        "bash",
        "-c",
        "exec 2>/dev/null; set -m; sleep 9 & jobs -l | wc -l; kill %1; wait; echo $?",
    ),
    argv(
        "shells.coproc",
        "bash",
        "-c",
        "coproc cat; echo in >&${COPROC[1]}; read x <&${COPROC[0]};"
        " echo $x; exec {COPROC[1]}>&-; wait",
    ),
    argv("shells.trap-child", "bash", "-c", "trap 'echo child' CHLD; /bin/true; sleep 0.01; :"),
    argv("shells.trap-term", "bash", "-c", "trap 'echo term; exit 9' TERM; kill $$; sleep 1"),
    argv(
        "shells.wait-n",
        "bash",
        "-c",
        "(exit 3)& (sleep .2; exit 4)& wait -n; echo $?; wait -n; echo $?",
    ),
    argv("shells.ulimit", "bash", "-c", "ulimit -a"),
    argv("shells.times", "bash", "-c", "times | wc -l; umask; dirs; shopt | sort | head -5"),
    argv(
        "shells.pipefail", "bash", "-c", "set -o pipefail; false | true; echo $? ${PIPESTATUS[*]}"
    ),
    argv("shells.pipeline-of-twenty", "sh", "-c", "seq 500" + " | cat" * 20 + " | tail -1"),
    argv(
        "shells.many-forks",
        "sh",
        "-c",
        "i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i+1)); done; echo $i",
    ),
    argv("shells.nohup-and-leave", "sh", "-c", "nohup sleep 15 >/dev/null 2>&1 & echo started"),
    argv(
        "shells.setsid-and-leave",
        "sh",
        "-c",
        "setsid sleep 15 >/dev/null 2>&1 </dev/null & sleep .1",
    ),
    argv(
        "shells.busybox-tools",
        "busybox",
        "sh",
        "-c",
        "echo b | busybox tr b c; busybox ls /",
        needs=("busybox",),
    ),
    argv("shells.parallel-xargs", "sh", "-c", "seq 40 | xargs -P 8 -n 1 echo | sort -n | md5sum"),
    argv("shells.find", "find", "/etc", "-maxdepth", "1", "-name", "pass*"),
    argv("shells.sort-parallel", "sh", "-c", "seq 50000 | sort -r --parallel=2 | md5sum"),
    argv("shells.tar", "sh", "-c", "mkdir d; seq 9 >d/f; tar cf - d | tar tf -"),
    argv("shells.dd", "dd", "if=/dev/zero", "of=made", "bs=1000", "count=9", "status=none"),
    argv("shells.sed-awk", "sh", "-c", "seq 9 | sed -n 3,5p | awk '{s += $1} END {print s}'"),
    argv(
        "shells.git",
        "sh",
        "-c",
        "git init -q . && git -c user.name=a -c user.email=b commit -q "
        "--allow-empty -m x && git log --format=%s; rm -rf .git",
        needs=("git",),
    ),
    argv("shells.sqlite", "sqlite3", ":memory:", "select 6 * 7", needs=("sqlite3",)),
    argv(
        "shells.make-jobs",
        "sh",
        "-c",
        "printf 'all: a b\\na b:\\n\\t@echo $@\\n' >Makefile; make -s -j2 | sort; make -n",
        needs=("make",),
    ),
    argv(
        "shells.cc",
        "sh",
        "-c",
        "echo 'int main(){return 7;}' >p.c; cc -o p p.c && ./p; echo $?; rm p",
        needs=("cc",),
    ),
    argv("shells.ldd", "sh", "-c", "ldd /bin/true | grep -c libc"),
    argv("shells.env-u", "env", "-u", "LD_PRELOAD", "{c:lines}", "2"),
    argv("shells.env-i", "env", "-i", "{c:facts}"),
    argv(
        "shells.exec-a",
        "bash",
        "-c",
        "exec -a other-name sh -c 'echo $0 $(cat /proc/$$/comm)' zero",
    ),
    argv("shells.time", "bash", "-c", "TIMEFORMAT=; time true; echo $?"),
    sh("shells.dot", "printf 'X=5\\n' >lib; RUN sh -c '. ./lib; echo $X'"),
    sh("shells.dash-in-between", "RUN sh -c 'echo $0 $*' zero one 'two three'", shell="dash"),
    sh(
        "shells.zsh-in-between",
        "RUN sh -c 'echo out; exit 3'; echo $?",
        shell="zsh",
        needs=("zsh",),
    ),
]
