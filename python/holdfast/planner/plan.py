"""The plan as typed values, and the call that makes one from a function in this process."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from holdfast._command import HoldfastError, find
from holdfast._load import load
from holdfast.planner.exchange.numbers import PLAN_SCHEMA
from holdfast.planner.keras import keras_data


@dataclass(frozen=True)
class Place:
    """A module and a line of the program that hold activations."""

    bytes: int = 0
    module: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True)
class Anatomy:
    """What lives at the peak, in bytes."""

    weights_bytes: int = 0
    gradients_bytes: int = 0
    optimizer_bytes: int = 0
    activations_bytes: int = 0
    inputs_bytes: int = 0
    temporaries_bytes: int = 0
    workspaces_bytes: int = 0
    fragmentation_bytes: int = 0
    context_bytes: int = 0
    moment: str = ""
    activations: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Host:
    """What the datasets and their loader take of the machine's own memory."""

    total_bytes: int = 0
    dataset_bytes: int = 0
    waiting_bytes: int = 0
    making_bytes: int = 0
    workers_bytes: int = 0
    batch_bytes: int = 0
    workers: int = 0
    prefetch: int = 0
    pinned: bool = False


@dataclass(frozen=True)
class Way:
    """A change that saves memory, with what it saves as replayed."""

    name: str = ""
    text: str = ""
    code: str = ""
    note: str = ""
    fits: bool = False
    peak_reserved_bytes: int = 0
    saves_bytes: int = 0


@dataclass(frozen=True)
class Plan:
    """Whether a training step fits, and where its memory goes."""

    fits: bool = False
    confidence: str = "unknown"
    estimate: bool = False
    batch: int | None = None
    peak_reserved_bytes: int = 0
    peak_allocated_bytes: int = 0
    peak_requested_bytes: int = 0
    capacity_bytes: int = 0
    context_bytes: int = 0
    margin_bytes: int = 0
    band: float = 0.0
    largest_batch: int | None = None
    device: str = ""
    anatomy: Anatomy = field(default_factory=Anatomy)
    host: Host | None = None
    ways: tuple[Way, ...] = ()
    missing: tuple[str, ...] = ()
    picture: str = field(default="", repr=False, compare=False)  # SVG

    def _repr_html_(self) -> str | None:
        """Notebooks show the anatomy as a picture."""
        return self.picture or None


def fit(
    make: Callable[[int], Callable[[], Any]],
    batch: int,
    gpu: str,
    *,
    device_profile: str | None = None,
    alloc_conf: str | None = None,
    context: str | None = None,
    ways: bool | None = None,
    largest: bool = True,
) -> Plan:
    """Plans ``make(batch)``'s training step for a GPU; see ``holdfast fit --help``.

    ``make`` may return a compiled Keras model instead of a step, or be one.

    ``ways`` looks for savings: always (True), never (False), or when it does not fit (None).
    """
    words = ["--batch", str(batch), "--gpu", gpu]
    for option, value in (
        ("--device-profile", device_profile),
        ("--alloc-conf", alloc_conf),
        ("--context", context),
    ):
        if value is not None:
            words += [option, value]
    words += ["--ways"] if ways else ["--no-ways"] if ways is False else []
    words += [] if largest else ["--no-largest"]
    with tempfile.TemporaryDirectory(prefix="holdfast-fit-") as folder:
        picture = Path(folder, "plan.svg")
        answer = _ask([*words, "--picture", str(picture)], make)
        drawn = picture.read_text()
    if answer["schema"] != PLAN_SCHEMA:
        raise HoldfastError(
            f"the plan has schema {answer['schema']}; this package reads {PLAN_SCHEMA}"
        )
    return replace(load(Plan, answer), picture=drawn)


def _served(make: Any) -> tuple[Any, Any]:
    """The function that answers, and its argument: a Keras model is copied, to see its weights."""
    if not keras_data.is_model(make):
        from holdfast.planner.answer.serve import serve

        return serve, make
    model = make
    if keras_data.backend_of(model) != "torch":
        from holdfast.planner.answer import keras_serve

        return keras_serve.serve, lambda: model
    from holdfast.planner.answer.serve import serve
    from holdfast.planner.keras.keras_capture import copy_of

    return serve, lambda: copy_of(model)


def _ask(options: list[str], make: Callable[[int], Callable[[], Any]]) -> dict[str, Any]:
    """The program's answer, with captures made in this process."""
    serve, make = _served(make)
    request_out, request_in = os.pipe()
    answer_out, answer_in = os.pipe()
    program = subprocess.Popen(
        [find(), "fit", "--json", *options, "--capture-fds", f"{answer_out},{request_in}"],
        pass_fds=(answer_out, request_in),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.close(answer_out)
    os.close(request_in)
    said: dict[str, bytes] = {}

    def listen() -> None:
        said["out"], said["err"] = program.communicate()

    # A separate thread reads: else a long answer and its reader would wait for each other.
    listener = threading.Thread(target=listen)
    listener.start()
    try:
        with os.fdopen(request_out) as requests, os.fdopen(answer_in, "w") as answers:
            serve(requests, answers, make)
    finally:
        listener.join()
    if program.returncode != 0:
        raise HoldfastError(said["err"].decode(errors="replace").strip())
    return json.loads(said["out"])  # type: ignore[no-any-return]
