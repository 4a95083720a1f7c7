"""Catalogue, pages, rules and zoo stay in step, and recorded deaths keep their verdicts."""

import dataclasses
import re
import subprocess
import sys

import pytest

from support.run import ROOT

sys.path.insert(0, str(ROOT / "zoo"))

from kit import deaths, notices, scenario, score

# Causes that no recorded death shows yet, each with the reason.
STILL_TO_COME: dict[str, str] = {}
# Causes that `check` finds before anything runs; no program dies of them under that name.
FOUND_BEFORE = {
    "gpu-setup",
    "package-conflict",
    "notebook-kernel",
    "cpu-oversubscribed",
    "not-writable",
    "locked-memory-limit",
}
# The most common in published counts: one program alone would prove little.
COMMON = ["cgroup-oom", "host-leak", "dataset-in-ram", "worker-oom", "bad-input", "shape-mismatch",
          "segfault", "checkpoint-corrupt", "exception", "disk-full", "bad-label"]  # fmt: skip


@pytest.fixture(scope="module")
def zoo():
    return scenario.all_scenarios()


@pytest.fixture(scope="module")
def catalogue(binary) -> set[str]:
    listed = subprocess.run([binary, "explain", "--list"], capture_output=True, text=True).stdout
    return {line.split()[1] for line in listed.splitlines() if line.startswith("HF")}


def causes_of(zoo) -> set[str]:
    return {slug for one in zoo for slug in (*one.ends, *one.roots, *one.also)}


def test_every_cause_has_a_recorded_death_or_a_reason(zoo, catalogue):
    assert catalogue
    recorded = [one for one in zoo if one.recording.exists()]
    assert catalogue - causes_of(recorded) == set(STILL_TO_COME) | FOUND_BEFORE
    assert catalogue - FOUND_BEFORE == causes_of(zoo)


def test_programs_recorded_elsewhere_are_told_apart_by_name(zoo):
    """Evidence is adopted, and zoo/whole_machine.sh starts programs, by their names alone."""
    names = [one.path.stem for one in zoo if one.elsewhere]
    assert len(names) == len(set(names))
    script = (ROOT / "zoo/whole_machine.sh").read_text()
    everywhere = [one.path.stem for one in zoo]
    for name in re.findall(r"^watch (\w+) \d+$", script, re.MULTILINE):
        assert everywhere.count(name) == 1, name


def test_headers_name_causes_of_the_catalogue(zoo, catalogue):
    assert causes_of(zoo) <= catalogue


def test_every_cause_that_a_program_dies_of_is_named_by_a_rule(zoo):
    named = "".join(
        p.read_text() for p in (ROOT / "src/diagnose/rules").glob("*.cc") if "_test" not in p.name
    )
    said = set(re.findall(r'"([a-z-]+)"_cause', named))
    lines = (ROOT / "knowledge/telling_lines.txt").read_text()
    said |= set(re.findall(r"^\[([a-z-]+)\]$", lines, re.MULTILINE))
    assert causes_of(zoo) <= said


@pytest.mark.parametrize("slug", COMMON)
def test_a_common_cause_has_at_least_three_programs(zoo, slug):
    assert sum(slug in one.ends + one.roots for one in zoo) >= 3


def test_the_zoo_is_large_and_a_good_part_of_it_is_healthy(zoo):
    assert len(zoo) >= 120
    assert sum(one.healthy for one in zoo) >= 12


def test_recordings_hold_no_path_of_the_machine_they_were_made_on(zoo):
    ours = "python|zoo|session|scratch|holdfast|build"
    everybodys = "dev|proc|sys|usr|bin|sbin|lib|tmp/ipykernel_"
    compiled = "pytorch|__w/pytorch"  # where torch was, in its own messages
    foreign = re.compile(
        rf"(?<![\w./~*-])/(?!(?:{ours}|{everybodys}|{compiled}))[A-Za-z_][\w.-]*/\w[^\"\s]*"
    )
    for one in zoo:
        if one.recording.exists():
            assert not foreign.findall(one.recording.read_text()), one.name


SAID = """\
epoch 1
holdfast: guard: would have refused 8 MiB at train.py:3: 1 MiB of 256 MiB are left; --guard=on ...
holdfast: the loss has not been a finite number since step 5: ... (holdfast explain nan-loss)
holdfast: not moving for 20.0 s. It waits for a lock that nobody will release (HF701 lock-deadlock)
  MainThread: waits
holdfast: it moves again, after 25.0 s
my own log: holdfast: guard: is a word of mine
"""


def test_what_holdfast_says_while_a_program_runs_is_told_from_the_programs_words():
    kinds = [one.kind for one in notices.notices_in(SAID)]
    assert kinds == ["guard", "nan-loss", "lock-deadlock", "other"]


def test_a_word_to_a_healthy_program_is_a_false_alarm_unless_its_header_allows_it(zoo):
    (healthy,) = (one for one in zoo if one.name == "healthy/exits_zero")
    finding = {"slug": "clean-exit", "confidence": "certain"}
    verdict = {"end": finding, "root": finding, "process": {"role": "main"}}
    verdict |= {"outcome": "finished", "contributing": []}
    silent = score.mark(healthy, verdict, [])
    assert silent.good and not silent.told_wrongly
    said = notices.notices_in(SAID)[:1]
    assert not score.mark(healthy, verdict, said).good
    allowed = dataclasses.replace(healthy, notices=("guard",))
    assert score.mark(allowed, verdict, said).good
    assert not score.mark(allowed, verdict, notices.notices_in(SAID)).good
    assert not score.mark(allowed, verdict, said + said).good, "twice"


def test_a_program_that_ends_well_is_not_run_quietly_and_what_it_is_told_is_heard(tmp_path, binary):
    program = tmp_path / "worthless.py"
    program.write_text(
        "import time, holdfast\n"
        "for _ in range(150):\n"
        "    holdfast.step(loss=float('nan'))\n"
        "time.sleep(3)\n"
    )
    one = scenario.Scenario(
        name="worthless",
        path=program,
        header={"end": "clean-exit", "environment": f"PYTHONPATH={ROOT / 'python'}"},
        ends=("clean-exit",),
        roots=("clean-exit",),
        lines=frozenset(),
        role="main",
        outcome="finished",
    )
    ended = deaths.run(one, binary, [sys.executable])
    assert ended.verdict["outcome"] == "finished"
    assert [heard.kind for heard in ended.notices] == ["nan-loss"]


def test_recorded_deaths_get_the_verdicts_they_must_get(binary):
    run = [sys.executable, ROOT / "zoo/run", "--recorded", "--bad", "--binary", binary]
    judged = subprocess.run(run, capture_output=True, text=True)
    assert judged.returncode == 0, judged.stdout
