"""Steps are counted in every framework without a word of the user's. `make frameworks` brings the
frameworks; elsewhere these tests are skipped."""

import pytest

from support.interpreters import python_with
from support.run import PROGRAMS


def steps_of(watch, name: str, python: str, *arguments: str):
    ended = watch(python, PROGRAMS / "frameworks" / f"{name}.py", *arguments, compare=False)
    assert ended.status == 0, ended.errors[-2000:]
    return ended.main.steps, ended.output


def test_lightning(watch):
    steps, _ = steps_of(watch, "lightning_fit", python_with("torch", "lightning"))
    assert (steps.count, steps.source) == (12, b"torch optimizer")


def test_hugging_face_trainer(watch):
    steps, _ = steps_of(watch, "trainer", python_with("torch", "transformers", "accelerate"))
    assert (steps.count, steps.source) == (12, b"torch optimizer")


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])
def test_keras(watch, backend):
    steps, _ = steps_of(watch, "keras_fit", python_with("keras", backend), backend)
    assert (steps.count, steps.epoch) == (12, 3)
    assert steps.source in (b"keras fit", b"torch optimizer")


def test_sklearn(watch):
    steps, _ = steps_of(watch, "partial_fit", python_with("sklearn"))
    assert (steps.count, steps.source) == (12, b"sklearn partial_fit")


def test_gevent_switches_as_before(watch):
    python = python_with("gevent")
    ended = watch(python, PROGRAMS / "frameworks" / "greenlets.py")
    assert ended.output == "1000 greenlets, 499500\n"


def test_numba_compiles_as_before(watch):
    ended = watch(python_with("numba", "numpy"), PROGRAMS / "frameworks" / "compiled.py")
    assert ended.output == "49995000\n"
