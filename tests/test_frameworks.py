"""Steps are counted in every framework without any call of the user's. `make frameworks` installs
the frameworks; without them these tests are skipped."""

import pytest

from support.interpreters import keras_2_python, python_with
from support.run import PROGRAMS


def trained(watch, name: str, python: str, *arguments: str):
    ended = watch(python, PROGRAMS / "frameworks" / f"{name}.py", *arguments, compare=False)
    assert ended.status == 0, ended.errors[-2000:]
    return ended.main


def validation_of(process) -> tuple[list[str], int]:
    """What was measured, and in which epoch."""
    ((told, epoch),) = [(text, a) for kind, text, a, _ in process.notes if kind == "validation"]
    return [line.split()[0] for line in told.splitlines()], epoch


@pytest.mark.parametrize("package", ["lightning.pytorch", "pytorch_lightning"])
def test_lightning(watch, package):
    main = trained(watch, "lightning_fit", python_with("torch", package), package)
    steps = main.steps
    assert (steps.count, steps.epoch, steps.source) == (12, 3, b"torch optimizer")
    assert None not in main.losses
    assert validation_of(main) == (["val_loss", "val_mae"], 3)


def test_hugging_face_trainer(watch):
    main = trained(watch, "trainer", python_with("torch", "transformers", "accelerate"))
    steps = main.steps
    assert (steps.count, steps.epoch, steps.source) == (12, 3, b"torch optimizer")
    assert None not in main.losses
    assert validation_of(main) == (["eval_near_loss", "eval_far_loss"], 3)


@pytest.mark.parametrize("backend", ["tensorflow", "torch", "jax"])
def test_keras(watch, backend):
    steps = trained(watch, "keras_fit", python_with("keras", backend), backend).steps
    assert (steps.count, steps.epoch) == (12, 3)
    assert steps.source in (b"keras fit", b"torch optimizer")


# Keras 2 is that of TensorFlow before 2.16, or tf_keras; `make frameworks` installs both.
@pytest.mark.parametrize("way", ["tf.keras", "graph", "tf_keras"])
@pytest.mark.parametrize("verbose", ["0", "2"])
def test_keras_2(watch, way, verbose):
    python = python_with("tf_keras") if way == "tf_keras" else keras_2_python()
    main = trained(watch, "keras2_fit", python, way, verbose)
    steps = main.steps
    assert (steps.count, steps.epoch, steps.source) == (9, 3, b"keras fit")
    assert validation_of(main) == (["val_loss", "val_mae"], 3)


@pytest.mark.parametrize(
    ("framework", "option"),
    [
        ("tensorflow", "TF_FORCE_GPU_ALLOW_GROWTH=true"),
        ("jax", "XLA_PYTHON_CLIENT_MEM_FRACTION=.40"),
    ],
)
def test_a_failure_tells_how_the_gpu_was_to_be_taken(watch, framework, option):
    program = PROGRAMS / "frameworks" / "gpu_options.py"
    ended = watch(python_with(framework), program, framework, compare=False)
    assert ended.status == 1
    assert f"{framework}\n{option}" in [text for kind, text, *_ in ended.main.notes]


# No GPU is here. Its pool is kept by the same allocator as the processor's, so the texts differ in
# names only; those of TensorFlow before 2.16 give other units than those of the newest.
@pytest.mark.parametrize("which", ["newest", "before 2.16"])
@pytest.mark.parametrize(("how", "root"), [("full", "cuda-oom"), ("pieces", "cuda-fragmentation")])
def test_tensorflows_words_about_a_full_pool(holdfast, which, how, root):
    python = python_with("tensorflow") if which == "newest" else keras_2_python()
    program = PROGRAMS / "frameworks" / "gpu_pool.py"
    verdict = holdfast.verdict_of(python, program, how)
    assert verdict["root"]["slug"] == root
    assert "64 MiB" in verdict["root"]["summary"]
    seen = {piece["source"]: piece["text"] for piece in verdict["root"]["evidence"]}
    assert how == "full" or seen["largest free piece"] == "32 MiB"


def test_sklearn(watch):
    steps = trained(watch, "partial_fit", python_with("sklearn")).steps
    assert (steps.count, steps.source) == (12, b"sklearn partial_fit")


def test_gevent_switches_as_before(watch):
    python = python_with("gevent")
    ended = watch(python, PROGRAMS / "frameworks" / "greenlets.py")
    assert ended.output == "1000 greenlets, 499500\n"


def test_numba_compiles_as_before(watch):
    ended = watch(python_with("numba", "numpy"), PROGRAMS / "frameworks" / "compiled.py")
    assert ended.output == "49995000\n"


def test_torch_compiles_and_profiles_as_before(watch):
    """torch's own complaints on stderr carry the time."""
    program = PROGRAMS / "frameworks" / "torch_compiled.py"
    ended = watch(python_with("torch"), program, compare=False)
    assert ended.status == 0, ended.errors[-2000:]
    assert ended.output == "handle 0\n[]\nTrue\n[]\n"
    assert "Graph break" not in ended.errors  # for a function of ours that torch tried to compile
