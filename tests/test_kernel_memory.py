"""A cell that fails for want of memory says so: the largest variables, and what to do."""

import pytest

from support.jupyter import errors, guarded_session, panel
from support.run import eventually

LIMIT = 400 << 20
MIME = "application/vnd.holdfast.memory+json"


@pytest.fixture
def session(jupyter, control_group):
    yield from guarded_session(jupyter, control_group(memory=LIMIT))


def told(answer: dict) -> dict:
    """The content of a cell's one panel, which comes below the traceback."""
    outputs = [
        output for output in answer["outputs"] if output["kind"] in ("error", "display_data")
    ]
    (shown,) = [output["data"] for output in outputs if output["kind"] == "display_data"]
    assert outputs[-1]["kind"] == "display_data"
    assert set(shown) == {"text/plain", "text/html", MIME}
    assert shown[MIME]["headline"] in shown["text/plain"]
    return {**shown[MIME], "text": shown["text/plain"]}


def names(facts: dict) -> list[str]:
    return [one["path"] for one in facts["variables"]]


def test_a_refused_cell_names_the_largest_variable_and_its_keeper(session):
    session.run("class Trainer: pass\ntrainer = Trainer()\ntrainer.history = []\nsmall = [1]")
    failed = session.run("while True:\n    trainer.history.append(bytearray(b'x') * (8 << 20))")
    assert "MemoryError" in [error["ename"] for error in errors(failed["outputs"])]
    facts = told(failed)
    assert facts["kind"] == "refused"
    assert "Holdfast kept this kernel alive" in facts["headline"]
    assert "of 400 MiB left" in facts["headline"]
    assert names(facts)[0] == "trainer.history"
    assert facts["advice"][0]["code"] == "trainer.history.clear()"


SMALL = {
    "rows": "n = 0\nwhile True:\n    n += 1\n    rows.append({'id': n, 'name': 'row %d' % n})",
    "parts": "while True:\n    parts.append(np.ones(1000))",
}


def test_a_cell_of_small_blocks_has_room_for_its_traceback_and_for_words(session):
    session.run("import numpy as np\nrows, parts = [], []")
    for name, code in SMALL.items():
        failed = session.run(code)
        assert len(errors(failed["outputs"])) == 1
        assert name in "".join(errors(failed["outputs"])[0]["traceback"])
        facts = told(failed)
        assert names(facts)[0] == name
        # Little is left, and this cell frees something.
        assert not errors(session.run(f"del {name}[:]")["outputs"])


def test_advice_is_in_the_names_of_the_notebook(session):
    session.run("import numpy as np\ntrain = np.ones((20, 1 << 20))\nraw = np.ones(8 << 20)")
    facts = told(session.run("scaled = train * 2"))
    assert facts["kind"] == "refused"
    assert "160 MiB asked for" in facts["headline"]
    assert names(facts)[:2] == ["train", "raw"]
    assert "float64 array, 20 x 1,048,576" in facts["text"]
    advice = [one["code"] for one in facts["advice"]]
    assert "train *= 2" in advice
    assert "del raw" in advice
    assert "del train" not in advice

    session.run("del train, raw")
    facts = told(
        session.run(
            "def load():\n"
            "    parts = []\n"
            "    while True:\n"
            "        parts.append(bytearray(b'x') * (8 << 20))\n"
            "load()"
        )
    )
    assert facts["variables"][0]["owner"] == "load"
    assert names(facts)[0] == "parts"
    assert "holdfast.free()" in facts["advice"][0]["code"]


def test_a_memory_error_of_the_system_is_told_and_other_errors_are_not(jupyter):
    session = jupyter.session()
    facts = told(session.run("import numpy as np\nnp.ones((1 << 20, 1 << 22))"))
    assert facts["kind"] == "memory-error"
    assert "refused by the system: 32 TiB asked for" in facts["headline"]
    chained = "try:\n    bytearray(1 << 60)\nexcept MemoryError as error:\n    raise OSError('x')"
    assert told(session.run(chained))["kind"] == "memory-error"
    for code in ("1 / 0", "raise RuntimeError('memory lane')", "def broken(", "raise SystemExit"):
        assert not panel(session.run(code)["outputs"])
    caught = "try:\n    bytearray(1 << 60)\nexcept MemoryError:\n    pass"
    assert not panel(session.run(caught)["outputs"])
    session.do("shutdown")
    session.end()


def test_an_idle_kernel_is_the_victim_of_the_notebook_beside_it(jupyter, control_group):
    group = control_group(memory=500 << 20)
    jupyter.holdfast = jupyter.holdfast.inside(group.inside)
    jupyter.more = {"JPY_SESSION_NAME": "/home/ada/idle.ipynb"}
    idle = jupyter.session()
    idle.run("kept = bytearray(b'x') * (240 << 20)")
    jupyter.more = {"JPY_SESSION_NAME": "/home/ada/guard.ipynb"}
    other = jupyter.session()
    first, _ = jupyter.holdfast.runs()
    growing = "import time\nkept = []\nwhile True:\n    kept.append(bytearray(b'x') * (4 << 20))"
    other.do("send", code=growing + "\n    time.sleep(0.1)")

    def told():
        verdict = jupyter.holdfast.why(first.name)
        return verdict if verdict["outcome"] == "died" else None

    verdict = eventually("the idle kernel's death", told)
    other.end()
    idle.end()
    assert verdict["root"]["slug"] == "oom-victim", verdict
    assert "the notebook guard.ipynb" in verdict["root"]["summary"]
    assert "still asking" not in str(verdict)
    assert "smaller batch" not in str(verdict)


# Every line of the program that a look could run writes into `ran`; one that hangs, hangs for ever.
EVIL = """
import time, weakref
import numpy as np
ran = []
def runs(*arguments, **more):
    ran.append("ran")
    time.sleep(1000)
class Meta(type):
    __eq__ = __hash__ = __instancecheck__ = __subclasscheck__ = __getattribute__ = runs
    __name__ = __module__ = property(runs)
class Evil:
    def __init__(self):
        object.__setattr__(self, "data", bytearray(1 << 20))
    __repr__ = __sizeof__ = __getattr__ = __getattribute__ = __len__ = __iter__ = runs
    __hash__ = __eq__ = __bool__ = __getitem__ = __index__ = runs
    nbytes = shape = dtype = __class__ = __dict__ = property(runs)
class List(list):
    __len__ = __iter__ = __getitem__ = __sizeof__ = runs
class Dict(dict):
    __len__ = __iter__ = __getitem__ = __sizeof__ = items = keys = values = __reversed__ = runs
class Array(np.ndarray):
    nbytes = base = dtype = shape = property(runs)
class Liar:
    nbytes = 1 << 60
    def __sizeof__(self):
        return 1 << 60
class Slots:
    __slots__ = ("data", "unset")
class Gone:
    pass
evil, liar, slots = Evil(), Liar(), Slots()
slots.data = bytearray(3 << 20)
listed = List([bytearray(1 << 20)] + [bytearray(1 << 20)])
mapped = Dict(a=bytearray(4 << 20))
array = np.ones(1 << 20).view(Array)
strange = type.__call__(Meta, "Strange", (), {})
odd = object.__new__(strange)
around = [bytearray(1 << 20)]
around.append(around)
chain = None
for number in range(100_000):
    chain = (chain, number)
gone = Gone()
gone.data = bytearray(2 << 20)
last = weakref.ref(gone)
globals().update({f"name_{number}": [number] for number in range(100_000)})
"""
LOOK = """
import _imp
facts = _imp._holdfast_agent.hook("hooks.cell_memory").gather(get_ipython())
print({one["path"]: one["bytes"] >> 20 for one in facts["variables"]}, ran)
del gone
print(last())
"""


def test_a_look_runs_no_code_of_the_program_and_keeps_nothing_alive(jupyter):
    session = jupyter.session()
    assert not errors(session.run(EVIL)["outputs"])
    looked = session.run(LOOK)
    assert not errors(looked["outputs"]), looked["outputs"]
    said = "".join(output.get("text", "") for output in looked["outputs"])
    seen, last = said.splitlines()
    assert seen.endswith("[]")
    assert last == "None"
    for one in ("'array': 8", "'listed': 2", "'slots.data': 3", "'around[0]': 1", "'gone.data': 2"):
        assert one in seen
    assert "'mapped[\"a\"]': 4" in seen
    assert "liar" not in seen
    session.do("shutdown")
    session.end()


def test_what_the_error_of_an_earlier_cell_still_holds_is_seen(jupyter):
    session = jupyter.session()
    failed = session.run("def load():\n    rows = bytearray(9 << 20)\n    return 1 / 0\nload()")
    assert errors(failed["outputs"])
    look = (
        "import _imp\n"
        "facts = _imp._holdfast_agent.hook('hooks.cell_memory').gather(get_ipython())\n"
        "print([(one['path'], one['owner'], one['bytes'] >> 20) for one in facts['variables']])"
    )
    assert session.run(look)["outputs"][-1]["text"] == "[('rows', 'load', 9)]\n"
    session.do("shutdown")
    session.end()


# Somebody presses "interrupt" exactly when the variables are weighed for the panel.
INTERRUPTED = """
import _imp, os, signal
memory = _imp._holdfast_agent.hook("hooks.cell_memory")
weigh = memory.largest
def interrupted(*arguments):
    memory.largest = weigh
    os.kill(os.getpid(), signal.SIGINT)
    return weigh(*arguments)
memory.largest = interrupted
"""


def test_an_interrupt_while_the_panel_is_made_ends_the_panel_alone(jupyter):
    session = jupyter.session()
    session.run(INTERRUPTED)
    for number in range(2):
        failed = session.run("bytearray(1 << 60)")
        assert [error["ename"] for error in errors(failed["outputs"])] == ["MemoryError"]
        assert failed["reply"]["ename"] == "MemoryError"
        assert "holdfast" not in str([o for o in failed["outputs"] if o["kind"] == "stream"])
        assert bool(panel(failed["outputs"])) == (number == 1)
    assert session.run("print(6 * 7)")["outputs"][-1]["text"] == "42\n"
    session.do("shutdown")
    session.end()
