"""A number that is not finite, in the frames of an exception that nobody caught.

Asks no GPU: a tensor there may never answer.
"""

from _holdfast_agent import note
from hooks.own_code import is_own

_NONFINITE = 9
_FRAMES = 2  # of the program's own code, innermost first
_NAMES = 500
_MEASURES = ("loss", "err", "cost", "mse", "mae", "nll", "elbo", "norm", "grad", "mean", "ppl")


def note_if_any(traceback):
    """Notes the first such variable; `a` is how many of the program's own frames lie below it."""
    frames = []
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if is_own(file):
            frames.append((traceback.tb_frame, file, traceback.tb_lineno or 0))
        traceback = traceback.tb_next
    for depth, (frame, file, line) in enumerate(reversed(frames[-_FRAMES:])):
        for name, value in list(frame.f_locals.items())[:_NAMES]:
            kind = _nonfinite(name, value)
            if kind:
                note(_NONFINITE, f"{name}\n{kind}\n{file}\n{line}", depth)
                return


def _nonfinite(name, value):
    kind = type(value)
    if kind is not float:
        if kind.__name__ == "Tensor" and kind.__module__ == "torch":
            if value.nelement() != 1 or not value.is_floating_point() or value.device.type != "cpu":
                return None
            value = value.item()
        elif kind.__module__ == "numpy" and kind.__name__ in ("float64", "float32", "float16"):
            value = float(value)
        else:
            return None
    if value != value:
        return "nan"
    # Many a search begins with infinity, but not with an infinite error.
    measure = any(word in name.lower() for word in _MEASURES)
    return "inf" if value in (float("inf"), float("-inf")) and measure else None
