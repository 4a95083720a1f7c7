"""Which code is the user's: the agent's hooks and the planner decide as knowledge/own_code.cc does.

The C++ side reads the same list in knowledge/own_code_test.cc.
"""

import importlib.util
import sys
import types

import pytest

from holdfast.planner.exchange.problem import is_users
from support.run import ROOT


def paths():
    for line in (ROOT / "knowledge/fixtures/own_code.txt").read_text().splitlines():
        if not line.startswith("#"):
            home, _, file = line.partition(" | ")
            yield pytest.param(file, home in ("own", "made-up"), id=file)


@pytest.fixture(scope="module")
def is_own():
    """Of agent/hooks/own_code.py, which is not a package's."""
    hooks = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "hooks", types.ModuleType("hooks"))
        for name in ("numbers", "kinds", "own_code"):
            spec = importlib.util.spec_from_file_location(
                f"hooks.{name}", ROOT / f"agent/hooks/{name}.py"
            )
            hooks[name] = importlib.util.module_from_spec(spec)
            patch.setitem(sys.modules, f"hooks.{name}", hooks[name])
            spec.loader.exec_module(hooks[name])
    return hooks["own_code"].is_own


@pytest.mark.parametrize(("file", "own"), list(paths()))
def test_hooks_and_planner_agree_with_the_table(is_own, file, own):
    assert is_own(file) is own
    assert is_users(file) is own


def test_code_without_a_file_is_nobodys(is_own):
    assert not is_own("")
    assert not is_own(None)
    assert not is_users("")


def test_the_planner_knows_its_own_folders():
    assert not is_users(types.__file__)
    assert not is_users(sys.modules["holdfast.planner.exchange.problem"].__file__)
