"""Leaks, large data and healthy programs: real ones, to a real OOM kill or to their end."""

import subprocess
from pathlib import Path

import pytest

from support.cgroup import ControlGroup
from support.interpreters import python_with
from support.run import PATIENCE, PROGRAMS, PYTHON, ROOT, Holdfast, text_of

FOLDER = PROGRAMS / "leaks"
MIB = 1 << 20
AT_ONCE = 2


def line_of(mark: str) -> tuple[str, int]:
    """The line in one of the programs with `# leaks: WAY` or `# loads: WAY`."""
    found = [
        (path.name, number)
        for path in sorted(FOLDER.glob("*.py"))
        for number, text in enumerate(path.read_text().splitlines(), 1)
        if text.endswith(f"# {mark}")
    ]
    assert len(found) == 1, (mark, found)
    return found[0]


def run_together(binary, folder, programs: dict[str, tuple[int, list[str]]]) -> dict[str, dict]:
    """Runs programs, a few at a time, each below its own limit; returns their verdicts. They mostly
    sleep, and one after the other they would take minutes."""
    verdicts = {}
    waiting = list(programs.items())
    while waiting:
        batch, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
        started = []
        for name, (limit, command) in batch:
            group = ControlGroup(memory=limit * MIB)
            own = Holdfast(binary, folder / name.replace("/", "-")).inside(group.inside)
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            started.append((name, group, own, own.start(*command, **quiet)))
        for name, group, own, running in started:
            try:
                running.wait(timeout=2 * PATIENCE)
                own.prefix = []
                verdicts[name] = own.why()
            finally:
                own.end_all()
                group.remove()
    return verdicts


def check_place(finding, mark):
    file, line = line_of(mark)
    assert finding["where"], finding
    assert (Path(finding["where"]["file"]).name, finding["where"]["line"]) == (file, line)


# Whether each leak without steps was named. On a busy machine time runs unevenly, and then nothing
# is said rather than something wrong.
named: dict[str, bool] = {}


def check_leak(verdict, mark, confidence, end="cgroup-oom"):
    assert verdict["end"]["slug"] == end, verdict["end"]
    if confidence == "likely":
        named[mark] = verdict["root"]["slug"] != end
        if not named[mark]:
            return
    assert verdict["root"]["slug"] == "host-leak", verdict["root"]
    assert verdict["root"]["confidence"] in confidence.split(), verdict["root"]
    check_place(verdict["root"], mark)


# Plain loops

PLAIN = [
    "in_list",
    "by_key",
    "closures",
    "cached",
    "below_python",
    "in_helper",
    "generator",
    "one_generator",
    "small_objects",
]
STEPPED = ["in_list", "in_helper", "small_objects"]


@pytest.fixture(scope="module")
def plain(binary, tmp_path_factory):
    program = [PYTHON, str(FOLDER / "in_a_loop.py")]
    package = str(ROOT / "python")
    programs = {way: (256, [*program, way]) for way in PLAIN}
    programs |= {f"{way}/steps": (256, [*program, way, package]) for way in STEPPED}
    return run_together(binary, tmp_path_factory.mktemp("plain"), programs)


@pytest.mark.parametrize("way", PLAIN)
def test_a_leak_in_a_plain_loop_is_found_by_its_line(plain, way):
    check_leak(plain[way], f"leaks: {way}", "likely")
    if named[f"leaks: {way}"]:
        # The rate is given if the program was looked at often enough.
        summary = plain[way]["root"]["summary"]
        assert "a minute" in summary or "rose again and again" in summary


def test_most_leaks_in_plain_loops_are_named(plain):
    for way in PLAIN:
        check_leak(plain[way], f"leaks: {way}", "likely")
    assert sum(named[f"leaks: {way}"] for way in PLAIN) >= len(PLAIN) / 2, named


@pytest.mark.parametrize("way", STEPPED)
def test_a_leak_beside_counted_steps_is_certain_and_told_per_step(plain, way):
    verdict = plain[f"{way}/steps"]
    check_leak(verdict, f"leaks: {way}", "certain")
    assert "a step" in verdict["root"]["summary"]
    assert "holdfast.step()" in text_of(verdict["root"])
    if way != "small_objects":
        (site,) = (s for s in verdict["memory"]["top_sites"] if s["growth_per_step_bytes"])
        assert site["growth_per_step_bytes"] == pytest.approx(MIB, rel=0.1)
        assert site["live_bytes"] == pytest.approx(245 * MIB, rel=0.1)


# numpy, pandas, torch


@pytest.mark.parametrize(
    ("way", "limit", "module"),
    [
        ("numpy_kept", 256, "numpy"),
        ("pandas_concat", 256, "pandas"),
        ("tensors", 600, "torch"),
    ],
)
def test_arrays_kept_in_a_plain_loop_are_a_leak(holdfast, control_group, way, limit, module):
    group = control_group(memory=limit * MIB)
    verdict = holdfast.inside(group.inside).verdict_of(
        python_with(module), str(FOLDER / "arrays.py"), way
    )
    check_leak(verdict, f"leaks: {way}", "likely")


@pytest.mark.parametrize(("way", "fix"), [("graphs", ".item()"), ("outputs", "kept.clear()")])
def test_what_torch_keeps_with_every_optimizer_step_is_a_leak(holdfast, control_group, way, fix):
    group = control_group(memory=700 * MIB)
    verdict = holdfast.inside(group.inside).verdict_of(
        python_with("torch"), str(FOLDER / "arrays.py"), way
    )
    # Threads of OpenMP ask for some of it, and count for borrowed lines.
    check_leak(verdict, f"leaks: {way}", "certain likely")
    assert "counted by torch optimizer" in text_of(verdict["root"])
    assert fix in verdict["root"]["fixes"][0]["code"]


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_a_worker_that_leaks_is_the_root_of_its_parents_failure(holdfast, control_group, how):
    group = control_group(memory=256 * MIB)
    verdict = holdfast.inside(group.inside).verdict_of(PYTHON, str(FOLDER / "worker.py"), how)
    check_leak(verdict, "leaks: worker", "likely", end="worker-oom")


# Large data


@pytest.mark.parametrize(
    ("way", "limit", "module"),
    [
        ("one_array", 256, "numpy"),
        ("joined", 256, "numpy"),
        ("checkpoint", 700, "torch"),
        ("load_images", 256, "os"),
        ("all_at_once", 256, "os"),
    ],
)
def test_data_that_does_not_fit_is_no_leak(holdfast, control_group, tmp_path, way, limit, module):
    group = control_group(memory=limit * MIB)
    command = [python_with(module), str(FOLDER / "load.py"), way, str(tmp_path)]
    verdict = holdfast.inside(group.inside).verdict_of(*command)
    assert verdict["end"]["slug"] == "cgroup-oom", verdict["end"]
    assert verdict["root"]["slug"] == "dataset-in-ram", verdict["root"]
    check_place(verdict["root"], f"loads: {way}")


# Healthy programs

HEALTHY = [
    "warm_up",
    "plateau",
    "full_cache",
    "large_data",
    "slow_data",
    "scattered",
    "scattered_small",
    "churn",
    "near_limit",
    "saw_tooth",
]


@pytest.fixture(scope="module")
def healthy(binary, tmp_path_factory):
    programs = {way: (256, [PYTHON, str(FOLDER / "healthy.py"), way]) for way in HEALTHY}
    return run_together(binary, tmp_path_factory.mktemp("healthy"), programs)


def check_nothing_said(verdict):
    assert verdict["outcome"] == "finished", verdict["end"]
    assert verdict["root"]["slug"] == "clean-exit", verdict["root"]
    assert verdict["contributing"] == []


@pytest.mark.parametrize("way", HEALTHY)
def test_a_healthy_program_gets_no_word_about_memory(healthy, way):
    check_nothing_said(healthy[way])


@pytest.mark.parametrize(
    ("way", "modules"),
    [
        ("numpy_only", ["numpy"]),
        ("pandas_only", ["pandas"]),
        ("forest", ["sklearn"]),
        ("slow_table", ["pandas"]),
        ("torch_only", ["torch"]),
    ],
)
def test_a_healthy_program_of_a_library_gets_none_either(holdfast, way, modules):
    check_nothing_said(holdfast.verdict_of(python_with(*modules), str(FOLDER / "healthy.py"), way))


def test_a_leak_that_a_crash_cuts_short_is_told_beside_it(holdfast):
    """It once was called a large dataset: small objects, seen in jumps."""
    verdict = holdfast.verdict_of(PYTHON, str(FOLDER / "in_a_loop.py"), "small_objects", "--crash")
    assert verdict["root"]["slug"] == "segfault", verdict["root"]
    (also,) = verdict["contributing"]
    assert also["slug"] == "host-leak", also
    check_place(also, "leaks: small_objects")
