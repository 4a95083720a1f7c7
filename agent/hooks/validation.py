"""What the last validation measured."""

from _holdfast_agent import note
from hooks.numbers import NOTE_VALIDATION
from hooks.steps import scalar

_METRICS = 12


def validated(measured, epoch, prefix=""):
    """Notes it, one a line: "val_loss 0.31". Losses first: the note has room for a few only."""
    lines = []
    for name, value in list(measured.items()):
        if type(name) is not str or not name.startswith(prefix) or "\n" in name:
            continue
        number = scalar(value)
        if number is not None:
            lines.append(f"{name} {float(number):.6g}")
    lines.sort(key=lambda line: "loss" not in line.lower())
    if lines:
        note(NOTE_VALIDATION, "\n".join(lines[:_METRICS]), epoch)
