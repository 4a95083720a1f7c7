"""Kills and stops our own processes at random moments: the program must not notice.

Signals only this round's own supervisor and processes that it has started, through a pidfd that was
opened before their parents were checked: so a reused pid is never hit.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import random
import selectors
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from transparency import proc
from transparency.engine import in_a_fork
from transparency.own_output import without_verdict
from transparency.stage import Stage
from transparency.toolbox import Toolbox

PATIENCE = 20.0
TARGETS = ("supervisor", "relay", "sentry")
ENDS = (0, 0, 3, 41, -signal.SIGKILL, -signal.SIGTERM, -signal.SIGUSR1)


@dataclass
class Round:
    """Everything that is to happen, derived from one number."""

    seed: int
    target: str = ""
    action: str = ""
    detach: bool = False
    lines: int = 0
    pause: int = 0
    end: int = 0
    moment: float = 0.0
    stopped_for: float = 0.0
    slow: bool = False
    harms: list[str] = field(default_factory=list)
    hit: bool = False
    oom: bool = False
    told: str = ""

    @staticmethod
    def of(seed: int, can_detach: bool) -> Round:
        dice = random.Random(seed)
        round_ = Round(seed)
        round_.target = dice.choice(TARGETS)
        round_.action = dice.choice(("kill", "kill", "stop"))
        round_.detach = can_detach and dice.random() < 0.25
        round_.lines = dice.choice((1, 5, 17, 60, 60, 400))
        round_.pause = dice.choice((0, 500, 1000, 3000)) if round_.lines < 100 else 100
        round_.end = dice.choice(ENDS)
        if (round_.target, round_.action) == ("supervisor", "kill") and dice.random() < 0.5:
            round_.lines, round_.pause = 1000, 3000  # long, to tell being ended from ending
        lasts = min(round_.lines * round_.pause / 1e6, 1.0)
        round_.moment = dice.random() ** 2 * (0.03 + lasts)
        round_.stopped_for = dice.choice((0.01, 0.05, 0.2, 0.4))
        round_.slow = dice.random() < 0.2
        return round_

    @property
    def name(self) -> str:
        return f"{self.action} {self.target}" + (" --detach" if self.detach else "")


def _target(round_: Round, supervisor: int) -> int:
    """A pidfd of the process to hit, or -1 if there is none."""
    if round_.target == "supervisor":
        return os.pidfd_open(supervisor)
    comm = f"holdfast-{round_.target}"
    for child in proc.children(supervisor):
        if proc.comm(child) != comm:
            continue
        try:
            handle = os.pidfd_open(child)
        except OSError:
            continue
        if child in proc.children(supervisor) and proc.comm(child) == comm:
            return handle
        os.close(handle)
    return -1


class Player:
    """Runs one round: a program, its reader, and the kill or stop."""

    def __init__(self, round_: Round, binary: str, program: str, folder: Path):
        self.round = round_
        self.binary = binary
        self.home = folder / "home"
        self.home.mkdir(mode=0o700)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("HOLDFAST")}
        self.env["HOLDFAST_HOME"] = str(self.home)
        # By name, because the last run of all homes may be another round's.
        self.name = f"round-{round_.seed}-{os.getpid()}"
        options = ["--name", self.name, *(["--detach"] if round_.detach else [])]
        count, pause, end = str(round_.lines), str(round_.pause), str(round_.end)
        self.line = [binary, "run", *options, "--", program, count, pause, end]
        self.said = {"out": bytearray(), "err": bytearray()}
        self.oom_kills = proc.oom_kills()

    def play(self) -> Round:
        pipe = subprocess.PIPE
        running = subprocess.Popen(
            self.line, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, env=self.env
        )
        whole = self._read(running)
        status = self._wait(running)
        self._judge(whole, status)
        proc.end_everything_below_us()
        return self.round

    def _read(self, running: subprocess.Popen[bytes]) -> bool:
        """Reads both streams to their ends, and strikes when it is time."""
        round_ = self.round
        start = time.monotonic()
        strike_at, continue_at, handle = start + round_.moment, 0.0, -1
        with selectors.DefaultSelector() as selector:
            selector.register(running.stdout, selectors.EVENT_READ, "out")
            selector.register(running.stderr, selectors.EVENT_READ, "err")
            while selector.get_map() or continue_at:
                now = time.monotonic()
                if now > start + PATIENCE:
                    return False
                if not round_.hit and now >= strike_at:
                    handle = _target(round_, running.pid)
                    if handle >= 0:
                        round_.hit = self._signal(handle, round_.action)
                        if round_.hit and round_.action == "stop":
                            continue_at = time.monotonic() + round_.stopped_for
                if continue_at and now >= continue_at:
                    self._signal(handle, "continue")
                    continue_at = 0.0
                for key, _ in selector.select(0.002):
                    got = os.read(key.fd, 100 if round_.slow else 65536)
                    self.said[key.data] += got
                    if not got:
                        selector.unregister(key.fd)
        return True

    def _signal(self, handle: int, action: str) -> bool:
        numbers = {"kill": signal.SIGKILL, "stop": signal.SIGSTOP, "continue": signal.SIGCONT}
        try:
            signal.pidfd_send_signal(handle, numbers[action])
        except ProcessLookupError:
            return False
        return True

    def _wait(self, running: subprocess.Popen[bytes]) -> int | None:
        try:
            return running.wait(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            return None

    def _judge(self, whole: bool, status: int | None) -> None:
        round_ = self.round
        harm = round_.harms.append
        killed = round_.hit and round_.target == "supervisor" and round_.action == "kill"
        if not whole or status is None:
            harm(f"hangs: streams {'ended' if whole else 'open'}, status {status}")
        wanted = {
            name: [b"%s %d\n" % (name.encode(), n) for n in range(round_.lines)]
            for name in ("out", "err")
        }
        seen = {
            name: without_verdict(bytes(text)).splitlines(keepends=True)
            for name, text in self.said.items()
        }
        began = any(seen.values())  # a supervisor killed before the start starts no program
        for name in seen:
            expected = wanted[name]
            if killed and (not round_.detach or not began):
                expected = expected[: len(seen[name])]
                if seen[name] and not seen[name][-1].endswith(b"\n"):
                    expected = [*expected[:-1], seen[name][-1]]
            if seen[name] != expected:
                lost = len(set(expected) - set(seen[name]))
                twice = len(seen[name]) - len(set(seen[name]))
                other = [line for line in seen[name] if line not in set(expected)][:2]
                harm(f"{name}: {lost} of {len(expected)} lines lost, {twice} twice, others {other}")
        if not killed and status != round_.end:
            harm(f"status {status} instead of {round_.end}")
        ended_by_itself = len(seen["out"]) == round_.lines and len(seen["err"]) == round_.lines
        # If a supervisor is killed while the OOM killer kills elsewhere, it counts as its victim.
        round_.oom = killed and proc.oom_kills() != self.oom_kills
        by_hand = killed and not round_.oom
        if by_hand and not round_.detach and ended_by_itself and round_.lines == 1000:
            harm("the program went on to its end, though its supervisor was killed")
        left = self._left()
        if left:
            harm(f"left behind: {left}")
        self._judge_verdict(killed, ended_by_itself)

    def _left(self) -> str:
        deadline = time.monotonic() + 3.0
        while time.monotonic() < deadline:
            proc.reap_zombies()
            names = [proc.comm(pid) for pid in proc.living(os.getpid())]
            if not names:
                return ""
            time.sleep(0.01)
        return " ".join(sorted(names))

    def _judge_verdict(self, killed: bool, all_lines: bool) -> None:
        round_ = self.round
        harm = round_.harms.append
        asked = subprocess.run(
            [self.binary, "why", self.name, "--json"],
            env=self.env,
            capture_output=True,
            check=False,
        )
        # Killed before there was anything to record: then it is honest to say so.
        if killed and (asked.returncode == 3 or b"cannot be read" in asked.stderr):
            round_.told = "no run" if asked.returncode == 3 else "cannot be read"
            return
        try:
            verdict = json.loads(asked.stdout)
        except ValueError:
            harm(f"why: status {asked.returncode}, {asked.stderr[-200:]!r}")
            return
        end = verdict["end"]
        sure = end["confidence"] == "certain"
        code, number = verdict["exit"].get("code"), verdict["exit"].get("signal")
        round_.told = f"{verdict['outcome']} {end['slug']} {end['confidence']}"
        if verdict["outcome"] == "running":
            harm("why: it is said to run, and is gone")
        truth = (round_.end, None) if round_.end >= 0 else (None, signal.Signals(-round_.end).name)
        if not killed:
            if (code, number) != truth:
                harm(f"why: told {code} {number} instead of {truth}")
            return
        # The supervisor was killed. What happened first is unknown here, but these cannot be true.
        if not all_lines and verdict["outcome"] == "finished":
            harm("why: finished, though it was cut short")
        if not all_lines and code is not None:
            harm(f"why: exit status {code}, though it was cut short")
        possible = {truth, (None, "SIGKILL")}
        if (code, number) != (None, None) and (code, number) not in possible:
            harm(f"why: told {code} {number}, which never happened")
        if sure and round_.detach and number == "SIGKILL" and truth != (None, "SIGKILL"):
            harm("why: certain of a SIGKILL that never was")


def _play(seed: int, binary: str, program: str, can_detach: bool) -> Round:
    round_ = Round.of(seed, can_detach)
    folder = Path(tempfile.mkdtemp(prefix="faults-"))

    def work() -> bytes:
        Stage.become_subreaper()
        return pickle.dumps(Player(round_, binary, program, folder).play())

    try:
        return pickle.loads(in_a_fork(work))
    except RuntimeError as error:
        round_.harms.append(f"the round itself failed: {error}")
        return round_
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _rounds(seeds: range, jobs: int, *how) -> Iterator[Round]:
    """Each worker runs every N-th round and reports each through its own pipe."""
    with selectors.DefaultSelector() as selector:
        pids = []
        for worker in range(jobs):
            reader, writer = os.pipe()
            pid = os.fork()
            if pid == 0:
                with contextlib.suppress(BrokenPipeError), os.fdopen(writer, "wb") as stream:
                    for seed in seeds[worker::jobs]:
                        pickle.dump(_play(seed, *how), stream)
                        stream.flush()
                os._exit(0)
            os.close(writer)
            pids.append(pid)
            selector.register(os.fdopen(reader, "rb"), selectors.EVENT_READ)
        while selector.get_map():
            for key, _ in selector.select():
                try:
                    yield pickle.load(key.fileobj)
                except EOFError:
                    selector.unregister(key.fileobj)
                    key.fileobj.close()
        for pid in pids:
            os.waitpid(pid, 0)


def inject(binary: str, tools: Toolbox, rounds: int, seed: int | None, jobs: int) -> int:
    """Runs the rounds; prints one line for each harm, and the counts. 1 if anything was harmed."""
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    program = tools.fill_in("{c:pulse}")
    usage = subprocess.run([binary, "run", "--help"], capture_output=True, check=False).stdout
    can_detach = b"--detach" in usage
    print(
        f"{rounds} rounds, seeds {seed} to {seed + rounds - 1}"
        + ("" if can_detach else "; this one knows no --detach"),
        flush=True,
    )
    counts: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    told: Counter[str] = Counter()
    harmed = oom = 0
    started = time.monotonic()
    for number, round_ in enumerate(
        _rounds(range(seed, seed + rounds), jobs, binary, program, can_detach), 1
    ):
        counts[round_.name] += 1
        hits[round_.name] += round_.hit
        told[round_.told] += 1
        harmed += bool(round_.harms)
        oom += round_.oom
        for harm in round_.harms:
            print(
                f"seed {round_.seed}: {round_.name} at {round_.moment * 1000:.0f} ms, program "
                f"{round_.lines} {round_.pause} {round_.end}{' slow reader' if round_.slow else ''}"
                f"{'' if round_.hit else ' (not hit)'}: {harm} [{round_.told}]",
                flush=True,
            )
        if number % 50 == 0:
            print(
                f"{number} rounds, {harmed} harmed, {time.monotonic() - started:.0f} s", flush=True
            )
    print(f"\n{'':26}{'rounds':>8}{'hit':>8}")
    for name in sorted(counts):
        print(f"{name:26}{counts[name]:>8}{hits[name]:>8}")
    print("\nwhat `holdfast why` said:")
    for text, count in told.most_common():
        print(f"{count:6}  {text}")
    if oom:
        print(f"\nin {oom} the OOM killer took some other program meanwhile")
    print(f"\n{rounds} rounds, {harmed} harmed")
    return 1 if harmed else 0
