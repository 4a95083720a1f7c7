"""The parts of the server extension that need no server."""

import threading

import pytest

from holdfast.server.bundle import words_about_bundle
from holdfast.server.kernel_runs import (
    ASK_AGAIN,
    ASK_SOON,
    Found,
    Kernel,
    LiveRuns,
    is_death,
    last_death,
)
from holdfast.server.shared_answers import FRESH, SharedAnswers
from holdfast.server.status import status_of


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def row(run, kernel="k1", outcome="running", cause=None, live=None):
    return {
        "id": run,
        "command": f"python -m ipykernel_launcher -f /run/kernel-{kernel}.json",
        "outcome": outcome,
        "cause": cause,
        "live": outcome == "running" if live is None else live,
    }


class Program:
    """Stands for ``holdfast runs`` and counts how often it is asked."""

    def __init__(self, *rows):
        self.rows = list(rows)
        self.asked = 0

    def __call__(self):
        self.asked += 1
        return self.rows


def test_a_kernel_is_found_by_its_connection_file():
    live = LiveRuns(Program(row("r2", "k2"), row("r1", "k1")), Clock())
    assert live.of(Kernel("k1", 7)).run == "r1"
    assert live.of(Kernel("other", 8, "/run/kernel-k2.json")).run == "r2"
    assert live.of(Kernel("k", 9)) == Found(), "a part of a name is not the name"


def test_the_run_of_a_kernel_is_asked_for_once():
    program = Program(row("r1"))
    live = LiveRuns(program, Clock())
    for _ in range(100):
        assert live.of(Kernel("k1", 7)).run == "r1"
    assert program.asked == 1


def test_a_kernel_that_was_started_again_is_another_run():
    program = Program(row("r1"))
    live = LiveRuns(program, Clock())
    assert live.of(Kernel("k1", 7)).run == "r1"
    program.rows = [row("r2"), row("r1", outcome="died", cause="segfault")]
    assert live.of(Kernel("k1", 8)).run == "r2"


def test_a_kernel_that_is_not_watched_is_asked_about_now_and_then():
    program, clock = Program(), Clock()
    live = LiveRuns(program, clock)
    for _ in range(1000):
        assert live.of(Kernel("k1", 7)) == Found()
        clock.now += 0.1
    assert program.asked <= 2 * ASK_AGAIN / ASK_SOON + 100 / ASK_AGAIN
    clock.now += ASK_AGAIN
    program.rows = [row("r1")]
    assert live.of(Kernel("k1", 7)).run == "r1"


def test_a_kernel_that_has_just_started_is_found_soon():
    program, clock = Program(), Clock()
    live = LiveRuns(program, clock)
    assert live.of(Kernel("k1", 7)) == Found()
    program.rows = [row("r1")]
    clock.now += ASK_SOON
    assert live.of(Kernel("k1", 7)).run == "r1"


def test_a_kernel_whose_run_is_over_is_not_called_unwatched():
    live = LiveRuns(Program(row("r1", outcome="died", cause="segfault")), Clock())
    assert live.of(Kernel("k1", 7)) == Found(None, ended=True)


@pytest.mark.parametrize("cause", ["shut-down", "interrupted", "clean-exit"])
def test_an_end_that_was_asked_for_is_no_death(cause):
    asked_for = row("r2", outcome="died", cause=cause)
    assert not is_death(asked_for)
    killed = row("r1", outcome="died", cause="cgroup-oom")
    assert last_death(Kernel("k1"), [asked_for, killed]) == "r1"
    assert last_death(Kernel("k1"), [asked_for]) is None


def test_a_death_counts_while_its_supervisor_still_speaks():
    assert is_death(row("r1", outcome="died", cause="segfault") | {"live": True})
    assert not is_death(row("r1", outcome="stuck", cause="deadlock") | {"live": True})


def test_the_newest_death_counts_and_only_the_kernel_s_own():
    rows = [
        row("r4"),
        row("r3", "k2", "died", "segfault"),
        row("r2", "k1", "died", "segfault"),
        row("r1", "k1", "died", "cgroup-oom"),
    ]
    assert last_death(Kernel("k1"), rows) == "r2"


def test_an_answer_serves_everybody_for_a_moment():
    clock, asked = Clock(), []
    answers = SharedAnswers(clock)
    for _ in range(10):
        assert answers.get("r1", lambda: asked.append(1) or "figures") == "figures"
    assert len(asked) == 1
    clock.now += FRESH
    answers.get("r1", lambda: asked.append(1))
    assert len(asked) == 2


def test_those_who_ask_at_once_wait_for_one_answer():
    answers, asked, begun = SharedAnswers(), [], threading.Event()
    release = threading.Event()

    def slow():
        asked.append(1)
        begun.set()
        release.wait(60)
        return "figures"

    got = []
    threads = [
        threading.Thread(target=lambda: got.append(answers.get("r1", slow))) for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    begun.wait(60)
    release.set()
    for thread in threads:
        thread.join()
    assert got == ["figures"] * 5
    assert len(asked) == 1


def test_a_failure_is_not_remembered():
    answers = SharedAnswers()
    with pytest.raises(ValueError):
        answers.get("r1", lambda: int("x"))
    assert answers.get("r1", lambda: 5) == 5


def test_unknown_figures_are_null():
    status = status_of("r1", {"main_pid": 7})
    assert status["watched"] is True
    assert status["memory_bytes"] is None
    assert status["limit_bytes"] is None
    assert status["curve"] == status["gpus"] == status["top_sites"] == []


def test_figures_come_from_the_last_look():
    status = status_of(
        "r1",
        {
            "main_pid": 7,
            "processes": [{"pid": 7, "rss": 5}],
            "gpus": [{"name": "H200", "total": 100, "used_last": 60, "used_peak": 90}],
            "memory": {
                "limit_bytes": 9,
                "limit_name": "container limit",
                "curve": [
                    {"time": 1_000_000_000, "used_bytes": 1, "limit_bytes": 9},
                    {"time": 3_500_000_000, "used_bytes": 4, "limit_bytes": 9},
                ],
            },
        },
    )
    assert (status["memory_bytes"], status["limit_bytes"], status["process_bytes"]) == (4, 9, 5)
    assert status["gpus"] == [{"name": "H200", "used_bytes": 60, "total_bytes": 100}]
    assert [point["seconds"] for point in status["curve"]] == [1.0, 3.5]


def test_status_speaks_of_a_loss_that_is_no_number_once_many_steps_had_none():
    def said(**steps):
        return status_of("r", {"main_pid": 7, "agents": [{"pid": 7, "steps": steps}]})["trouble"]

    assert said(count=200, first_nonfinite=50) == (
        "The loss is not a number any more, at step 50 for the first time."
    )
    assert said(count=120, first_nonfinite=50) is None
    assert said(count=200, first_nonfinite=50, last_finite_loss=0.5) is None
    assert said(count=200) is None


def test_status_speaks_of_what_the_supervisor_found(tmp_path):
    def said(directory):
        return status_of("r1", {"main_pid": 7}, directory)["trouble"]

    assert said(str(tmp_path)) is None
    (tmp_path / "trouble-leak.txt").write_text("holdfast: train.py:4 keeps 1 MiB more\n")
    assert said(str(tmp_path)) == "train.py:4 keeps 1 MiB more"
    assert said(None) is None


def test_the_directory_of_a_run_is_the_one_that_the_program_names():
    kept = {**row("r1"), "directory": "/dev/shm/holdfast-0/runs/r1"}
    live = LiveRuns(Program(kept), Clock())
    assert live.of(Kernel("k1", 7)).directory == "/dev/shm/holdfast-0/runs/r1"


def test_a_missing_extension_of_lab_is_told_with_the_way_to_get_it(tmp_path):
    empty, full = tmp_path / "empty", tmp_path / "full"
    (full / "holdfast-lab").mkdir(parents=True)
    assert "make lab-build" in (words_about_bundle([str(empty), str(full)]) or "")
    (full / "holdfast-lab/package.json").touch()
    assert words_about_bundle([str(empty), str(full)]) is None
