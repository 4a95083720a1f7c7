"""How accurate the estimates of Keras models are: the Keras table of docs/fit.md.

usage: KERAS_BACKEND=torch|jax|tensorflow python bench/fit --keras [MODEL,...] [POLICY,...]
On torch the estimate is compared with an exact capture, on JAX with what the compiler lays out for
the CPU, on TensorFlow with what its allocator counted for real steps on the CPU.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# Without them TensorFlow's allocator counts oneDNN's own buffers, which a GPU does not have.
os.environ.update(TF_ENABLE_ONEDNN_OPTS="0", TF_CPU_ALLOCATOR_USE_BFC="true")

import keras
import keras_models
import numpy as np

from holdfast.planner.answer import keras_serve
from holdfast.planner.exchange.device import Device
from holdfast.planner.exchange.numbers import ALLOC, FREE
from holdfast.planner.keras import keras_data
from holdfast.planner.keras.keras_step import Step
from holdfast.planner.keras.keras_trace import trace

BACKEND = keras.backend.backend()


def replayed(file: Path) -> dict[str, Any]:
    """The plan of a capture file."""
    command = [os.environ["HOLDFAST_BIN"], "fit", "--replay", str(file), "--gpu", "1000GiB"]
    command += ["--context", "0", "--json", "--no-largest", "--no-ways"]
    answer = subprocess.run(command, capture_output=True, check=True)
    return json.loads(answer.stdout)  # type: ignore[no-any-return]


def reckoned(model: Any, batch: int) -> int:
    """The most that lives at once, without a GPU's workspaces, which a CPU does not have."""
    inputs = keras_data.of_batch(keras_data.inputs_of(model), batch)
    step = Step(model, trace(model, inputs), BACKEND)
    step.run()
    sizes: dict[int, int] = {}
    live = most = 0
    for event in step.memory.events:
        if event[0] == ALLOC:
            sizes[event[1]] = event[2]
            live += event[2]
            most = max(most, live)
        elif event[0] == FREE:
            live -= sizes[event[1]]
    return most


def data_of(model: Any, batch: int) -> tuple[Any, Any]:
    """Inputs and targets, as KerasTensors."""
    inputs = keras_data.of_batch(keras_data.inputs_of(model), batch)
    outputs = model.compute_output_spec(inputs)
    targets = keras_data.targets_of(model, keras_data.Data(), outputs)
    return inputs, keras_data.of_batch(targets, batch)


def on_torch(name: str, policy: str, batch: int) -> tuple[int, int]:
    """An exact capture, and the estimate replayed with the same workspaces."""
    from holdfast.planner.capture.capture import capture

    with tempfile.TemporaryDirectory() as folder:
        exact, near = Path(folder, "exact.capture"), Path(folder, "near.capture")
        capture(lambda _: keras_models.build(name, policy), batch, exact)
        keras_serve.reckon(keras_models.build(name, policy), batch, near, Device())
        plans = replayed(exact), replayed(near)
    return plans[0]["peak_allocated_bytes"], plans[1]["peak_allocated_bytes"]


def on_jax(name: str, policy: str, batch: int) -> tuple[int, int]:
    """The compiled step's arguments, temporaries and results."""
    import jax

    model = keras_models.build(name, policy)
    inputs, targets = data_of(model, batch)
    model.optimizer.build(model.trainable_variables)
    zeros = [np.zeros(tensor.shape, tensor.dtype) for tensor in (inputs, targets)]
    model._symbolic_build(data_batch=tuple(zeros))
    variables = (
        model.trainable_variables,
        model.non_trainable_variables,
        model.optimizer.variables,
        model.metrics_variables,
    )
    state = tuple([jax.ShapeDtypeStruct(v.shape, v.dtype) for v in part] for part in variables)
    data = tuple(jax.ShapeDtypeStruct(zero.shape, zero.dtype) for zero in zeros)
    step = jax.jit(model.train_step, donate_argnums=0).lower(state, data).compile()
    laid_out = step.memory_analysis()
    truth = laid_out.argument_size_in_bytes + laid_out.temp_size_in_bytes
    truth += laid_out.output_size_in_bytes - laid_out.alias_size_in_bytes
    return truth, reckoned(model, batch)


def on_tensorflow(name: str, policy: str, batch: int) -> tuple[int, int]:
    """Real steps on the CPU, counted by the allocator."""
    import tensorflow as tf

    model = keras_models.build(name, policy)
    inputs, targets = data_of(model, batch)
    x, y = (np.zeros(tensor.shape, tensor.dtype) for tensor in (inputs, targets))
    for number in range(3):
        if number == 1:
            tf.config.experimental.reset_memory_stats("CPU:0")
        model.train_on_batch(x, y)
    truth = int(tf.config.experimental.get_memory_info("CPU:0")["peak"])
    return truth, reckoned(model, batch)


def main(words: list[str]) -> None:
    """One line per model."""
    names = words[0].split(",") if words else list(keras_models.MODELS)
    policies = words[1].split(",") if len(words) > 1 else list(keras_models.POLICIES)
    measure = {"torch": on_torch, "jax": on_jax, "tensorflow": on_tensorflow}[BACKEND]
    for name in names:
        for policy in policies:
            for batch in keras_models.MODELS[name][1]:
                truth, got = measure(name, policy, batch)
                print(
                    f"{BACKEND:11} {name:15} {policy:14} batch {batch:5}  truth {truth >> 20:6} "
                    f"MiB  reckoned {got >> 20:6} MiB  {100 * (got / truth - 1):+6.1f} %",
                    flush=True,
                )


if __name__ == "__main__":
    main(sys.argv[1:])
