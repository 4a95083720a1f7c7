"""Answers requests for captures, with torch at hand."""

from pathlib import Path
from typing import Any, TextIO

from holdfast.planner.answer import keras_serve
from holdfast.planner.capture import capture
from holdfast.planner.capture.capture import Make
from holdfast.planner.capture.small_run import REAL, SmallRuns
from holdfast.planner.exchange import capture_file
from holdfast.planner.exchange.problem import in_one_line
from holdfast.planner.exchange.requests import NotPossible, answer_all, device_of
from holdfast.planner.keras import keras_data
from holdfast.planner.keras.keras_capture import NotOnTorch
from holdfast.planner.keras.keras_fit import FoundModel
from holdfast.planner.pretend.recorder import CannotPretend
from holdfast.planner.program import variants


def serve(requests: TextIO, answers: TextIO, make: Make) -> None:
    """Captures of make(batch), as it is or with a way applied, until the other side closes."""
    small: dict[str, SmallRuns] = {}
    made: list[Any] = []  # the last Keras model that make() returned

    def noted(batch: int) -> Any:
        thing = keras_serve.made_by(make, batch)
        # Keeps nothing else: its tensors would die in the middle of the next capture.
        made[:] = [thing] if keras_data.is_model(thing) else []
        return thing

    def answer(request: dict[str, Any], path: Path) -> bool:
        way, batch, device = request["way"], request["batch"], device_of(request)
        if way and made:
            raise NotPossible("only for a step that make(batch) returns as a function")
        changed = variants.apply(way, noted)
        try:
            capture.capture(changed, batch, path, device)
        except NotOnTorch as found:
            keras_serve.reckon(found.model, batch, path, device)
        except Exception as reason:
            if made:
                made.clear()
                keras_serve.reckon(noted(batch), batch, path, device, reason=in_one_line(reason))
            elif isinstance(reason, CannotPretend):
                if way not in small:
                    small[way] = SmallRuns(lambda size: capture.record(changed, size, device, REAL))
                small[way].write(path, batch, device, str(reason))
            else:
                raise
        return True

    answer_all(requests, answers, answer)


def serve_script(requests: TextIO, answers: TextIO, words: list[str]) -> None:
    """Captures of a script; without ways, which need a function to change."""
    from holdfast.planner.capture.script import record_script

    small: list[SmallRuns] = []
    found: list[FoundModel] = []

    def answer(request: dict[str, Any], path: Path) -> bool:
        if request["way"]:
            raise NotPossible("only for FILE.py:make")
        batch, device = request["batch"], device_of(request)
        if found:
            return keras_serve.reckon_found(found[0], batch, path, device)
        try:
            recorder, seen = record_script(words, batch, device)
        except FoundModel as trains:
            found.append(trains)
            return keras_serve.reckon_found(trains, batch, path, device)
        except CannotPretend as reason:
            if not batch:
                raise CannotPretend(f"{reason}; say --batch N for an estimate") from None
            if not small:
                small.append(SmallRuns(lambda size: record_script(words, size, device, REAL)[0]))
            small[0].write(path, batch, device, str(reason))
            return True
        header = capture.header(recorder, seen.batch or 0, device)
        if seen.batch is None:
            header["missing"].append(
                "no DataLoader was made, so the batch size is not known and cannot vary"
            )
        capture_file.write(path, header, recorder.events, recorder.roles)
        return seen.batch is not None

    answer_all(requests, answers, answer)
