"""The command line: bad input gets one line with advice, good input does what was promised."""

import contextlib
import json
import os
import random
import re
import shutil
import struct
import subprocess

import pytest

from support.run import PYTHON, ROOT, Holdfast, program
from support.terminal import Terminal

VERBS = ["run", "why", "runs", "explain", "check", "fit", "kernel"]
DIES = ["/bin/sh", "-c", "kill -SEGV $$"]
CODES = sorted(page.stem.split("-", 1) for page in (ROOT / "causes").glob("HF*.md"))


def check_one_line(answer: subprocess.CompletedProcess, status: int) -> str:
    assert answer.returncode == status, answer
    assert answer.stdout == ""
    (line,) = answer.stderr.splitlines()
    assert line.startswith("holdfast: ")
    return line


# Usage


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--unknown"],
        ["unknown"],
        ["run"],
        ["run", "--"],
        ["run", "--unknown", "--", "true"],
        ["run", "--verdict"],
        ["run", "--quiet=1", "--", "true"],
        ["why", "--unknown"],
        ["why", "one", "two"],
        ["runs", "--unknown"],
        ["runs", "shred"],
        ["explain"],
        ["explain", "HF999"],
        ["explain", "no-such-cause"],
        ["explain", "HF101", "HF102"],
    ],
    ids=" ".join,
)
def test_bad_usage_is_one_line_and_status_2(holdfast, arguments):
    check_one_line(holdfast.call(*arguments), 2)
    assert holdfast.runs() == []


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["rum"], "did you mean run?"),
        (["explian"], "did you mean explain?"),
        (["run", "--gaurd=off", "--", "true"], "did you mean --guard?"),
        (["run", "--guard-reserv", "1G", "--", "true"], "did you mean --guard-reserve?"),
        (["why", "--jsno"], "did you mean --json?"),
        (["explain", "oom"], "cgroup-oom"),
        (["explain", "cgroup-omo"], "did you mean cgroup-oom?"),
        (["explain", "HF1O1"], "did you mean HF101"),
        (["runs", "purne"], "did you mean prune?"),
    ],
)
def test_a_mistyped_word_gets_a_suggestion(holdfast, arguments, meant):
    line = check_one_line(holdfast.call(*arguments), 2)
    assert meant in line


def test_a_word_that_is_like_none_gets_no_suggestion(holdfast):
    assert "did you mean" not in check_one_line(holdfast.call("explain", "zebra"), 2)
    assert "did you mean" not in check_one_line(holdfast.call("x"), 2)


@pytest.mark.parametrize(
    "arguments",
    [
        ["\x1b[31mred"],
        ["run", "--\x1b]0;title\x07", "--", "true"],
        ["run", "--stall-after", "\x1b[2J", "--", "true"],
        ["run", "--guard-reserve=\x1b[2J", "--", "true"],
        ["why", "\x1b[2J\nholdfast: all is well"],
        ["why", "/\x1b[2J"],
        ["runs", "\x1b[2J"],
        ["explain", "\x9b2J\r\n"],
        ["fit", "--gpu", "\x1b[2J", "x.py"],
        ["kernel", "\x1b[2J"],
        ["run", "--", "/nowhere/\x1b[2J"],
    ],
)
def test_what_is_quoted_from_the_command_line_is_printable(holdfast, arguments):
    answer = holdfast.call(*arguments)
    assert answer.returncode != 0
    (line,) = answer.stderr.splitlines()
    assert line.isprintable(), line


@pytest.mark.parametrize("size", ["5", "much", "10 parsecs"])
def test_a_size_that_makes_no_sense_is_told_how_to_write_it(holdfast, size):
    line = check_one_line(holdfast.call("run", "--guard-reserve", size, "--", "true"), 2)
    assert "write" in line and f"'{size}'" in line


@pytest.mark.parametrize("size", ["512MiB", "10GB", "1.5G", "64 m", "67108864"])
def test_sizes_are_taken_as_people_write_them(holdfast, size):
    assert holdfast.run("true", options=["--guard-reserve", size]).returncode == 0


def test_output_into_a_full_pipe_that_does_not_block_is_whole(holdfast):
    read, write = os.pipe()
    os.set_blocking(write, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(write, b"." * 65536)
    with subprocess.Popen(
        [holdfast.binary, "explain", "--list"], stdout=write, env=holdfast.environment
    ) as running:
        os.close(write)
        with os.fdopen(read, "rb") as pipe:
            said = pipe.read().lstrip(b".")
        assert running.wait() == 0
    assert said.decode() == holdfast.call("explain", "--list").stdout


# Man page and completions

# For holdfast.fit, which starts the program itself.
INTERNAL = {"--capture-fds"}


def options_of(holdfast, verb: str) -> set[str]:
    shown = holdfast.call(verb, "--help").stdout.split("options:")[1].split("examples:")[0]
    return set(re.findall(r"^  (--[a-z-]+)", shown, re.MULTILINE)) - INTERNAL


def completed_for(shell: str, verb: str) -> set[str]:
    """The options that a completion script offers for a verb."""
    if shell == "fish":
        text = (ROOT / "completions" / "holdfast.fish").read_text()
        names = {"run": "__holdfast_before_command"}.get(
            verb, rf"__holdfast_verb_is[^']*\b{verb}\b"
        )
        lines = [x for x in text.splitlines() if re.search(names, x)]
        return {f"--{name}" for x in lines for name in re.findall(r" -l ([a-z-]+)", x)} | {"--help"}
    text = (ROOT / "completions" / {"bash": "holdfast.bash", "zsh": "_holdfast"}[shell]).read_text()
    part = re.search(rf"\n        {verb}\)\n(.*?)\n            ;;\n", text, re.DOTALL).group(1)
    part = re.sub(r'"\$program" [^)]*', "", part)  # calls of holdfast itself
    return set(re.findall(r"(--[a-z]+(?:-[a-z]+)*)", part))


@pytest.mark.parametrize("verb", VERBS)
def test_the_man_page_and_the_completions_know_every_option(holdfast, verb):
    options = options_of(holdfast, verb)
    assert "--help" in options and len(options) > 1
    manual = (ROOT / "man" / "holdfast.1").read_text().replace("\\-", "-")
    assert {x for x in options if not re.search(rf"{x}(?![a-z-])", manual)} == set(), "man page"
    for shell in ("bash", "zsh", "fish"):
        offered = completed_for(shell, verb)
        assert options - offered == set(), f"{shell} lacks them"
        assert offered - options == set(), f"{shell} offers what is not there"


def test_a_command_without_dashes_before_it_is_run_all_the_same(holdfast):
    answer = holdfast.call("run", "echo", "--help", "--", "-x")
    assert (answer.returncode, answer.stdout) == (0, "--help -- -x\n")


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_usage_and_examples(holdfast, verb):
    for word in ("--help", "-h"):
        answer = holdfast.call(verb, word)
        assert answer.returncode == 0
        assert answer.stderr == ""
        assert f"usage: holdfast {verb}" in answer.stdout
        assert f"  holdfast {verb}" in answer.stdout.split("examples:")[1]
        assert all(len(line) <= 100 for line in answer.stdout.splitlines())


def test_help_names_every_verb(holdfast):
    answer = holdfast.call("--help")
    assert answer.returncode == 0
    for verb in VERBS:
        assert re.search(rf"^  {verb} ", answer.stdout, re.MULTILINE)


def test_the_version_is_that_of_the_source(holdfast):
    version = (ROOT / "VERSION").read_text().strip()
    assert holdfast.call("--version").stdout == f"holdfast {version}\n"


# Commands that cannot be started


def test_a_command_that_is_not_there_is_127(holdfast, tmp_path):
    for command in ("no-such-command-here", str(tmp_path / "nothing")):
        line = check_one_line(holdfast.call("run", "--", command), 127)
        assert command in line


def test_a_command_that_cannot_be_executed_is_126(holdfast, tmp_path):
    (tmp_path / "data").write_text("data")
    for command in (str(tmp_path / "data"), str(tmp_path)):
        line = check_one_line(holdfast.call("run", "--", command), 126)
        assert command in line


def test_a_command_that_was_not_started_leaves_no_run(holdfast):
    holdfast.call("run", "--", "no-such-command-here")
    assert holdfast.runs() == []


# Runs


def test_a_run_that_does_not_exist_is_status_3(holdfast, tmp_path):
    holdfast.run("true")
    for word in ("no-such-run", "19700101-000000-000-1", str(tmp_path / "nowhere")):
        check_one_line(holdfast.call("why", word), 3)
        check_one_line(holdfast.call("why", word, "--json"), 3)


def test_a_run_is_found_by_id_beginning_name_and_path(holdfast):
    holdfast.run(*DIES, options=["--name", "nightly"])
    first = holdfast.runs()[0]
    holdfast.run("true")
    for word in (first.name, first.name[:-1], "nightly", str(first)):
        assert holdfast.why(word)["run"]["id"] == first.name
    assert holdfast.why()["run"]["id"] == holdfast.runs()[-1].name


def test_a_verdict_stays_what_it_was_whatever_is_written_to_the_log_later(holdfast, tmp_path):
    log, first = tmp_path / "log", tmp_path / "first.json"
    code = "import sys; print('CUDA error: device-side assert triggered', file=sys.stderr); exit(3)"
    for _ in range(2):
        with log.open("ab") as stderr:
            holdfast.run(PYTHON, "-c", code, options=["--verdict", first], stderr=stderr)
        with log.open("ab") as stderr:
            stderr.write(b"Traceback (most recent call last):\nKeyError: 'of another run'\n")
        assert holdfast.why() == json.loads(first.read_text())
        assert "HOLDFAST" in log.read_text() or "holdfast:" in log.read_text()
        # When judged again, our own words are no evidence.
        again = holdfast.why("--again")
        assert "holdfast" not in json.dumps(again["end"]["evidence"])
        assert again["end"]["confidence"] != "certain" or again["end"]["slug"] == "exit-called"


def test_runs_are_listed_newest_first(holdfast):
    holdfast.run("true", options=["--name", "first"])
    holdfast.run(*DIES, options=["--name", "second"])
    expected = [run.name for run in reversed(holdfast.runs())]
    listed = json.loads(holdfast.call("runs", "--json").stdout)
    listed = listed if isinstance(listed, list) else listed["runs"]
    assert [row["id"] for row in listed if row["id"] in expected] == expected
    table = holdfast.call("runs").stdout
    assert table.index("second") < table.index("first")
    assert "segfault" in table
    assert "\x1b" not in table
    ids = holdfast.call("runs", "--ids").stdout.split()
    assert [word for word in ids if word in expected] == expected


def test_another_users_run_is_refused_in_one_line(holdfast, as_nobody, public_folder):
    mine = Holdfast(holdfast.binary, public_folder / "mine")
    mine.run(*DIES)
    for folder in (mine.home, mine.home / "runs"):
        folder.chmod(0o755)
    (run,) = mine.runs()
    answer = as_nobody.call("why", str(run), cwd="/")
    assert answer.returncode in (1, 3)
    check_one_line(answer, answer.returncode)
    run.chmod(0o755)
    for file in run.iterdir():
        file.chmod(0o644)
    check_one_line(as_nobody.call("why", str(run), cwd="/"), answer.returncode)


def test_a_user_without_rights_gets_verdicts_too(as_nobody):
    ended = as_nobody.run(*DIES, cwd="/")
    assert b"HF301" in ended.stderr
    assert as_nobody.why()["end"]["slug"] == "segfault"


# Damaged records


@pytest.fixture
def dead_run(holdfast, tmp_path):
    """A copy of the directory of a run that died of a signal, safe to damage."""
    holdfast.run("/bin/sh", "-c", "echo last words >&2; kill -SEGV $$")
    (original,) = holdfast.runs()
    assert holdfast.why()["end"]["slug"] == "segfault"

    def fresh():
        copy = tmp_path / "copy" / "runs" / original.name
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(original, copy)
        copy.chmod(0o700)
        return copy

    return fresh


def check_no_crash_and_no_wrong_verdict(holdfast, run, damage):
    answer = holdfast.call("why", str(run), "--json")
    if answer.returncode == 0:
        verdict = json.loads(answer.stdout)
        end = verdict["end"]
        assert end["slug"] == "segfault" or end["confidence"] != "certain", (damage, end)
        assert verdict["outcome"] != "finished", damage
    else:
        check_one_line(answer, answer.returncode)
        assert answer.returncode in (1, 3), damage
    assert holdfast.call("why", str(run)).returncode == answer.returncode, damage


def test_a_record_cut_off_anywhere_never_crashes_nor_misleads(holdfast, dead_run):
    for name in sorted(file.name for file in dead_run().iterdir()):
        size = (dead_run() / name).stat().st_size
        cuts = {0, 1, 7, 8, 12, 463, 464, 465, 4095, 4096, 4097, size // 3, size // 2, size - 1}
        for cut in sorted(cut for cut in cuts if 0 <= cut < size):
            run = dead_run()
            os.truncate(run / name, cut)
            check_no_crash_and_no_wrong_verdict(holdfast, run, (name, cut))


def test_a_record_with_flipped_bits_never_crashes_nor_misleads(holdfast, dead_run):
    dice = random.Random(20)
    for name in sorted(file.name for file in dead_run().iterdir() if file.suffix == ".box"):
        for turn in range(40):
            run = dead_run()
            content = bytearray((run / name).read_bytes())
            # Half of them in the index of the file, the others anywhere.
            places = range(464) if turn % 2 else range(len(content))
            for place in dice.sample(places, 1 + turn % 4):
                content[place] ^= 1 << dice.randrange(8)
            (run / name).write_bytes(content)
            check_no_crash_and_no_wrong_verdict(holdfast, run, (name, turn))


def test_a_record_that_is_noise_or_missing_never_crashes_nor_misleads(holdfast, dead_run):
    for name in sorted(file.name for file in dead_run().iterdir()):
        for content in (b"", b"\0" * 100000, b"\xff" * 100000, b"{}", b"[" * 50000, b"null"):
            run = dead_run()
            (run / name).write_bytes(content)
            check_no_crash_and_no_wrong_verdict(holdfast, run, (name, content[:4]))
        run = dead_run()
        (run / name).unlink()
        check_no_crash_and_no_wrong_verdict(holdfast, run, (name, "missing"))


def test_a_record_of_another_version_says_so(holdfast, dead_run):
    run = dead_run()
    box = run / "machine.box"
    content = bytearray(box.read_bytes())
    struct.pack_into("<I", content, 8, 4711)
    struct.pack_into("<I", content, 460, crc32c(content[:460]))
    box.write_bytes(content)
    (run / "verdict.json").unlink()
    answer = holdfast.call("why", str(run))
    assert "format 4711" in answer.stdout + answer.stderr
    check_no_crash_and_no_wrong_verdict(holdfast, run, "version")


def crc32c(content: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


# What people read


@pytest.mark.parametrize(
    "command",
    [
        ["true"],
        DIES,
        ["/bin/sh", "-c", "kill -KILL $$"],
        program("raises.py", "library"),
        [PYTHON, "-c", "bytearray(1 << 52)  # " + "a long line of code " * 20],
    ],
    ids=["clean", "segfault", "killed", "exception", "refused"],
)
def test_a_verdict_in_a_pipe_has_80_columns_and_no_escapes(holdfast, command):
    ended = holdfast.run(*command)
    asked = holdfast.call("why")
    assert asked.returncode == 0
    assert asked.stdout.strip()
    for text in (asked.stdout, ended.stderr.decode().split("holdfast", 1)[-1]):
        assert "\x1b" not in text
    for line in asked.stdout.splitlines():
        assert len(line) <= 80, line


def test_no_color_means_no_colours_on_a_terminal_either(holdfast):
    shown = []
    for extra in ({}, {"NO_COLOR": "1"}, {"TERM": "dumb"}):
        environment = {"TERM": "xterm", **holdfast.environment, **extra}
        window = Terminal(holdfast.line(*DIES), environment)
        window.wait()
        shown.append(window.shown)
        window.close()
    assert b"\x1b[" in shown[0]
    assert b"\x1b[" not in shown[1]
    assert b"\x1b[" not in shown[2]
    assert b"HF301" in shown[1]


def test_an_exception_adds_one_line_to_the_traceback(holdfast):
    ended = holdfast.run(*program("raises.py", "own"))
    plain = subprocess.run(program("raises.py", "own"), capture_output=True)
    assert ended.stderr.startswith(plain.stderr)
    assert len(ended.stderr[len(plain.stderr) :].strip().splitlines()) <= 1


@pytest.mark.parametrize(("code", "slug"), CODES)
def test_every_cause_is_explained_by_code_and_by_slug(holdfast, code, slug):
    by_code = holdfast.call("explain", code)
    assert by_code.returncode == 0
    assert code in by_code.stdout
    assert slug in by_code.stdout
    assert "\x1b" not in by_code.stdout
    assert holdfast.call("explain", slug).stdout == by_code.stdout
    assert holdfast.call("explain", code.lower()).stdout == by_code.stdout


def test_the_list_of_causes_is_the_list_of_pages(holdfast):
    listed = [line.split()[:2] for line in holdfast.call("explain", "--list").stdout.splitlines()]
    assert listed == CODES
