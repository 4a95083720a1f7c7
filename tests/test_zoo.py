"""Catalogue, pages, rules and zoo stay in step, and recorded deaths keep their verdicts."""

import re
import subprocess
import sys

import pytest

from support.run import ROOT

sys.path.insert(0, str(ROOT / "zoo"))

from kit import scenario

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


def test_recorded_deaths_get_the_verdicts_they_must_get(binary):
    run = [sys.executable, ROOT / "zoo/run", "--recorded", "--bad", "--binary", binary]
    judged = subprocess.run(run, capture_output=True, text=True)
    assert judged.returncode == 0, judged.stdout
