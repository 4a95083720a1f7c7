"""`%%memory` accounts for all that stayed: by line, elsewhere, or as memory of no line."""

import pytest

from support.jupyter import errors

MIB = 1 << 20
# Keeps what the magic shows, so that its figures can be read.
KEEP = """
%load_ext holdfast
import holdfast, holdfast.jupyter.magics as magics
def display(result):
    global seen
    seen = result
magics.display = display
"""


@pytest.fixture
def session(jupyter):
    session = jupyter.session()
    assert not errors(session.run(KEEP)["outputs"])
    yield session
    session.do("shutdown")
    session.end()


def value(session, expression: str):
    said = session.run(f"print(repr({expression}))")
    assert not errors(said["outputs"]), said["outputs"]
    return eval("".join(output.get("text", "") for output in said["outputs"]))


def test_what_stayed_is_the_sum_of_what_is_told(session):
    """223 MiB of dicts, whose objects are a few hundred bytes each."""
    cell = (
        "%%memory\nrows = []\nfor n in range(780_000):\n    rows.append({'id': n, 'row': str(n)})"
    )
    assert not errors(session.run(cell)["outputs"])
    stayed = value(session, "seen.stayed_bytes")
    lines = dict(value(session, "[(l.line, l.stayed_bytes) for l in seen.lines]"))
    elsewhere, rest = value(session, "(seen.elsewhere_bytes, seen.rest_bytes)")
    assert stayed > 200 * MIB
    assert sum(lines.values()) + elsewhere + rest == stayed
    assert lines[4] > 0.85 * stayed
    assert abs(rest) < 0.15 * stayed
    (name, grew), *_ = value(session, "[(v.name, v.grew_bytes) for v in seen.variables]")
    assert name == "rows"
    assert grew > 0.7 * stayed
    curve = value(session, "[size for _, size in seen.curve]")
    assert curve[-1] - curve[0] == stayed
    text = value(session, "str(seen)")
    assert "rows.append" in text
    assert text.splitlines()[1].strip().split("  ")[0].endswith("█")
    assert "<svg" in value(session, "seen._repr_html_()")


def test_what_was_given_back_again_is_a_peak_of_its_line(session):
    assert not errors(session.run("%%memory\nlarge = b'x' * (60 << 20)\ndel large")["outputs"])
    lines = value(session, "{l.line: (l.stayed_bytes, l.peak_bytes) for l in seen.lines}")
    stayed, peak = lines[2]
    assert abs(stayed) < MIB
    assert 55 * MIB < peak < 65 * MIB
    assert value(session, "seen.variables") == ()


def test_what_was_never_written_to_is_named_and_not_added(session):
    cell = "%%memory\nimport numpy as np\nempty = np.empty(100 << 20, dtype='u1')"
    assert not errors(session.run(cell)["outputs"])
    lines = dict(value(session, "[(l.line, l.stayed_bytes) for l in seen.lines]"))
    # A window that ended after the request has checked its pages, and does not count them.
    if lines.get(3, 0) > 60 * MIB:
        assert value(session, "seen.rest_bytes") < -60 * MIB
        assert "not in memory" in value(session, "str(seen)")
    assert value(session, "seen.stayed_bytes") < 60 * MIB


def test_memory_of_other_threads_is_told_apart(session):
    threads = (
        "import threading, sys\n"
        "kept, go, done = [], threading.Event(), threading.Event()\n"
        "def work():\n"
        "    go.wait()\n"
        "    kept.append(bytearray(b'x') * (80 << 20))\n"
        "    done.set()\n"
        "threading.Thread(target=work, daemon=True).start()"
    )
    assert not errors(session.run(threads)["outputs"])
    assert not errors(session.run("%%memory\ngo.set()\ndone.wait()")["outputs"])
    assert value(session, "seen.elsewhere_bytes") > 60 * MIB
    assert "other threads" in value(session, "str(seen)")
