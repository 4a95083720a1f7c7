"""What keeps the tensors: the hook on stand-ins for tensors, because few machines have a GPU.

The zoo's gpu/leak_losses proves it with real ones.
"""

import importlib.util
import linecache
import sys
import types
from collections import deque

import pytest

from support.run import ROOT


class Tensor:
    def __init__(self, grad_fn=None):
        self.grad_fn = grad_fn


class Parameter(Tensor):
    pass


def loaded(name):
    path = ROOT / f"agent/hooks/{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def noted(monkeypatch):
    """Runs a program's text, which must fail, and returns what the hook then notes."""
    notes = []
    agent = types.ModuleType("_holdfast_agent")
    agent.note = lambda *note: notes.append(note)
    monkeypatch.setitem(sys.modules, "_holdfast_agent", agent)
    monkeypatch.setitem(sys.modules, "hooks", types.ModuleType("hooks"))
    monkeypatch.setitem(sys.modules, "hooks.numbers", loaded("numbers"))
    monkeypatch.setitem(sys.modules, "hooks.kinds", loaded("kinds"))
    monkeypatch.setitem(sys.modules, "hooks.own_code", loaded("own_code"))
    hook = loaded("kept_tensors")

    def run(text, file="/home/u/train.py"):
        notes.clear()
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        names = {"Tensor": Tensor, "Parameter": Parameter, "deque": deque}
        try:
            exec(compile(text, file, "exec"), names)
        except RuntimeError as error:
            hook.note_largest(Tensor, error.__traceback__, lambda _: True)
        names.clear()
        return notes

    return run


def test_a_list_of_losses_is_named_with_the_line_that_fills_it(noted):
    text = (
        "losses = []\nfor i in range(40):\n    losses.append(Tensor('graph'))\nraise RuntimeError\n"
    )
    assert noted(text) == [(8, "losses\n/home/u/train.py\n3", 40, 40)]


@pytest.mark.parametrize(
    "put",
    ["kept[i] = Tensor()", "kept.append((i, Tensor()))", "kept += [{'out': Tensor()}]",
     "kept.add(Tensor())", "kept.extend([Tensor()])"],
)  # fmt: skip
def test_other_ways_to_keep_them(noted, put):
    kind = "{}" if "[i]" in put else "set()" if "add" in put else "deque()"
    text = f"kept = {kind}\nfor i in range(20):\n    {put}\nraise RuntimeError\n"
    assert noted(text) == [(8, "kept\n/home/u/train.py\n3", 20, 0)]


def test_an_objects_own_list_is_named_by_its_path(noted):
    text = (
        "class Trainer:\n"
        "    def __init__(self):\n"
        "        self.outputs = []\n"
        "    def fit(self):\n"
        "        for i in range(20):\n"
        "            self.outputs.append(Tensor(1))\n"
        "        raise RuntimeError\n"
        "Trainer().fit()\n"
    )
    assert noted(text) == [(8, "self.outputs\n/home/u/train.py\n6", 20, 20)]


def test_a_loss_with_its_graph_comes_before_many_batches(noted):
    text = (
        "batches = [Tensor() for _ in range(99)]\n"
        "losses = []\n"
        "for i in range(20): losses.append(Tensor(1))\n"
        "raise RuntimeError\n"
    )
    assert noted(text) == [(8, "losses\n/home/u/train.py\n3", 20, 20)]


def test_nothing_of_the_programs_own_is_called(noted):
    text = (
        "class Lazy:\n"
        "    def __getattr__(self, name): raise SystemExit(name)\n"
        "    def __getattribute__(self, name): raise SystemExit(name)\n"
        "class Own(Tensor):\n"
        "    grad_fn = property(lambda self: 1 / 0, lambda self, value: None)\n"
        "lazy, own, kept = Lazy(), [Own() for _ in range(40)], []\n"
        "for i in range(20): kept.append(Tensor())\n"
        "raise RuntimeError\n"
    )
    assert noted(text) == [(8, "kept\n/home/u/train.py\n7", 20, 0)]


def test_of_several_places_that_fill_it_none_is_named(noted):
    text = "a = []\na.append(Tensor())\nfor i in range(40): a.append(Tensor())\nraise RuntimeError"
    assert noted(text) == [(8, "a\n/home/u/train.py\n", 41, 0)]


@pytest.mark.parametrize(
    "made",
    ["[Parameter() for _ in range(40)]", "[Tensor() for _ in range(8)]", "[3] * 99",
     "[[Tensor() for _ in range(9)] for _ in range(40)]"],
)  # fmt: skip
def test_models_and_what_holds_few_are_not_blamed(noted, made):
    assert noted(f"held = {made}\nraise RuntimeError") == []
