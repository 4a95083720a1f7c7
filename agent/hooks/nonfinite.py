"""A number that is not finite, in the frames of an exception that nobody caught.

Asks no GPU: a tensor there may never answer.
"""

from _holdfast_agent import note
from hooks.own_code import is_own

_NONFINITE = 9
_FRAMES = 2  # of the program's own code, innermost first
_NAMES = 500
_FEW = 1 << 16  # numbers of a tensor, to add them up in an instant
_MEASURES = ("loss", "err", "cost", "mse", "mae", "nll", "elbo", "norm", "grad", "mean", "ppl")


def note_if_any(traceback):
    """Notes the first such variable; `a` is how many of the program's own frames lie below it."""
    frames = []
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if is_own(file):
            frames.append((traceback.tb_frame, file, traceback.tb_lineno or 0))
        traceback = traceback.tb_next
    seen = []
    for depth, (frame, file, line) in enumerate(reversed(frames[-_FRAMES:])):
        variables = list(frame.f_locals.items())[:_NAMES]
        for name, value in variables:
            kind = _nonfinite(name, value)
            if kind:
                note(_NONFINITE, f"{name}\n{kind}\n{file}\n{line}", depth)
                return
        seen.append((variables, file, line, depth))
    for variables, file, line, depth in seen:
        for name, value in variables:
            if _holds_nan(value):
                # Gaps in data are usual: it counts only for an error that speaks of numbers.
                note(_NONFINITE, f"{name}\nnan\n{file}\n{line}", depth + 1)
                return


def _is_cpu_tensor(value):
    kind = type(value)
    return (
        kind.__name__ == "Tensor"
        and kind.__module__ == "torch"
        and value.is_floating_point()
        and value.device.type == "cpu"
    )


def _holds_nan(value):
    if not _is_cpu_tensor(value) or not 1 < value.nelement() <= _FEW:
        return False
    total = value.detach().sum().item()
    return total != total


def _nonfinite(name, value):
    kind = type(value)
    if kind is not float:
        if kind.__name__ == "Tensor" and kind.__module__ == "torch":
            if not _is_cpu_tensor(value) or value.nelement() != 1:
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
