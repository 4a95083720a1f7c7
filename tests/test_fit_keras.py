"""`holdfast fit` on Keras models: captured on torch, estimated on the other backends."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from holdfast.planner.keras import keras_data
from holdfast.planner.keras.keras_layers import cost_of
from holdfast.planner.keras.keras_trace import Call, Tensor
from support.run import ROOT

PYTHON = os.environ.get("HOLDFAST_TORCH_PYTHON")
MIB = 1 << 20
TRAIN = """
import keras
import numpy as np
from keras import layers

def make_keras():
    model = keras.Sequential([
        keras.Input((256,)),
        layers.Dense(2048, activation="relu"),
        layers.Dense(2048, activation="relu"),
        layers.Dense(10),
    ])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    return model

if __name__ == "__main__":
    x, y = np.zeros((512, 256), "float32"), np.zeros((512,), "int64")
    make_keras().fit(x, y, batch_size=64)
    open("trained", "w").close()
"""
PARAMETERS = 4 * (256 * 2048 + 2048 + 2048 * 2048 + 2048 + 2048 * 10 + 10)


class Layer:
    """Enough of a layer for a rule."""

    def __init__(self, **fields):
        self.trainable_variables = []
        self.__dict__.update(fields)


def call_of(kind, **fields):
    tensors = [Tensor(number, (4, 8, 8, 16), "float32") for number in (0, 1)]
    return Call(Layer(**fields), kind, kind, (tensors[0],), (tensors[1],), False)


def test_what_a_layer_keeps_depends_on_the_backend():
    size = call_of("Add").outputs[0].bytes
    convolution = call_of("Conv2D", data_format="channels_last", use_bias=False)
    assert cost_of(convolution, "jax").keeps_input
    # Keras on torch keeps a copy in torch's order of dimensions, not the input.
    assert not cost_of(convolution, "torch").keeps_input
    assert cost_of(convolution, "torch").kept == size
    normal = cost_of(call_of("BatchNormalization"), "torch")
    assert normal.keeps_input and normal.kept == size
    assert cost_of(call_of("Add"), "tensorflow").passes
    assert cost_of(call_of("Dropout", rate=0.1), "jax").kept == size // 4  # a mask
    assert cost_of(call_of("Dropout", rate=0.0), "jax").view


def test_other_things_are_no_keras_models():
    assert not keras_data.is_model(lambda batch: None)
    assert not keras_data.is_model(object())


def fit(binary, folder, backend, *words):
    if not PYTHON:
        pytest.skip("needs Keras: see `make frameworks`")
    if subprocess.run([PYTHON, "-c", f"import keras, {backend}"], capture_output=True).returncode:
        pytest.skip(f"needs Keras and {backend}")
    Path(folder, "train.py").write_text(TRAIN)
    command = [binary, "fit", *words, "--gpu", "16GiB", "--python", PYTHON]
    environment = {**os.environ, "KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3"}
    environment["PYTHONPATH"] = str(ROOT / "python")
    return subprocess.run(
        [*command, "--no-ways"], cwd=folder, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize("backend", ["torch", "tensorflow", "jax"])
def test_a_function_that_returns_a_compiled_model(binary, tmp_path, backend):
    done = fit(binary, tmp_path, backend, "train.py:make_keras", "--batch", "64", "--json")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    anatomy = plan["anatomy"]
    assert plan["fits"] and plan["largest_batch"] > 64
    assert PARAMETERS <= anatomy["weights_bytes"] < PARAMETERS + MIB
    assert 2 * PARAMETERS <= anatomy["optimizer_bytes"] < 2 * PARAMETERS + MIB
    assert plan["estimate"] == (backend != "torch")
    if plan["estimate"]:
        assert plan["confidence"] != "certain" and plan["band"] >= 0.2


@pytest.mark.parametrize("backend", ["torch", "tensorflow", "jax"])
def test_an_unchanged_script_is_stopped_at_fit(binary, tmp_path, backend):
    done = fit(binary, tmp_path, backend, "train.py", "--json", "--no-largest")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["batch"] == 64
    assert not Path(tmp_path, "trained").exists()


def test_a_model_without_shapes_gets_one_line(binary, tmp_path):
    script = "import keras\ndef make():\n    m = keras.Sequential([keras.layers.Dense(3)])\n"
    script += "    m.compile('adam', 'mse')\n    return m\n"
    Path(tmp_path, "loose.py").write_text(script)
    done = fit(binary, tmp_path, "tensorflow", "loose.py:make", "--batch", "4")
    assert done.returncode != 0
    said = [line for line in done.stderr.splitlines() if line.startswith("holdfast:")]
    assert len(said) == 1 and "never built" in said[0]
