"""A number that is not finite, in the frames of an exception that nobody caught.

Never asks a GPU: a tensor there may never answer.
"""

import sys

from _holdfast_agent import note
from hooks.keepers import locals_of
from hooks.numbers import NOTE_NONFINITE
from hooks.own_code import attributes, is_own

_FRAMES = 3  # of the program's own code, innermost first
_NAMES = 500
_FEW = 1 << 16  # numbers of a tensor: few enough to add up at once
_FEW_ONE_BY_ONE = 1 << 13
_LONGEST = 1 << 15  # bytes of a function's code
_MODULES = 32
_ASTRAY = 1e4  # no weight of a model that still learns is as large as this
_MEASURES = ("loss", "err", "cost", "mse", "mae", "nll", "elbo", "norm", "grad", "mean", "ppl")
_CHECKS = ("isfinite", "isnan", "isinf")
_GIVEN = ("inf", "infinity", "infty", "nan")
_NO_VARIABLE = ("STORE_ATTR", "STORE_SUBSCR", "STORE_SLICE")


def note_if_any(traceback):
    """Notes the first such variable; `a` is how many of the program's own frames lie below it."""
    frames = []
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if is_own(file):
            frames.append((traceback.tb_frame, file, traceback.tb_lineno or 0, traceback.tb_lasti))
        traceback = traceback.tb_next
    _note_first(frames[: -_FRAMES - 1 : -1])


def note_at_exit(frame):
    """The same when the program itself exits: only values near that call count."""
    frames = []
    while frame is not None and len(frames) < _FRAMES:
        file = frame.f_code.co_filename
        if is_own(file):
            frames.append((frame, file, frame.f_lineno or 0, frame.f_lasti))
        frame = frame.f_back
    _note_first(frames, at_exit=True)


def _note_first(frames, at_exit=False):
    seen = []
    for depth, (frame, file, line, at) in enumerate(frames[:1] if at_exit else frames):
        variables = list(_variables(frame, at_exit).items())[:_NAMES]
        checked = any(name in frame.f_code.co_names for name in _CHECKS)
        stores = None
        for name, value in variables:
            kind = _nonfinite(name, value, checked)
            if not kind or (at_exit and not checked and not _is_measure(name)):
                continue
            stores = _stores(frame.f_code) if stores is None else stores
            if name in stores and all(store.given for store in stores[name]):
                continue  # `best = float("inf")`
            origin = _origin(frames[depth:], at_exit) or (file, line)
            text = f"{name}\n{kind}\n{file}\n{line}\n{origin[0]}\n{origin[1]}"
            note(NOTE_NONFINITE, text, depth)
            return
        name = _found_by_check(frame, at, variables) if checked and depth == 0 else ""
        if name:
            origin = _origin(frames, at_exit) or (file, line)
            note(NOTE_NONFINITE, f"{name}\nnan\n{file}\n{line}\n{origin[0]}\n{origin[1]}", 0)
            return
        seen.append((variables, file, line, depth))
    for variables, file, line, depth in [] if at_exit else seen[:2]:
        for name, value in variables:
            if _is_cpu_tensor(value) and _holds_nan(value):
                # Gaps in data are usual: they count only if the error speaks of numbers.
                note(NOTE_NONFINITE, f"{name}\nnan\n{file}\n{line}", depth + 1)
                return


def _found_by_check(frame, at, variables):
    """What holds NaN where the failed statement itself asked for that: then gaps are not usual. An
    array, or an attribute that the function names."""
    if not _asked_at(frame.f_code, at):
        return ""
    for name, value in variables:
        if _holds_nan(value):
            return name
        parts = {} if type(value) is type(sys) else attributes(value)
        for part in frame.f_code.co_names:
            held = parts.get(part)
            if _holds_nan(held) or _nonfinite(part, held, True) == "nan":
                return f"{name}.{part}"
    return ""


def _asked_at(code, at):
    """Whether a check comes before this place, with nothing stored in between."""
    dis = sys.modules.get("dis")
    asked = False
    if dis is not None and len(code.co_code) <= _LONGEST:
        for one in dis.get_instructions(code):
            if one.offset > at:
                break
            if one.opname.startswith("STORE_"):
                asked = False
            elif type(one.argval) is str and one.argval in _CHECKS:
                asked = True
    return asked


def _variables(frame, at_exit):
    """Of an ended frame, or of one that still runs because the program catches its exit."""
    return locals_of(frame) if at_exit else frame.f_locals


def _origin(frames, at_exit):
    """Where the first number that is not finite was made, as far as the frames still show.

    A check is often a separate function with the number as its parameter: then ask its caller.
    """
    for frame, file, _, at in frames:
        stores = _stores(frame.f_code)
        found = []
        for name, value in list(_variables(frame, at_exit).items())[:_NAMES]:
            made = [store for store in stores.get(name, ()) if not store.given]
            if made and (_nonfinite(name, value, True) or _holds_nan(value)):
                # A store after the failed place happened in the last round of its loop.
                before = [store for store in made if store.offset < at]
                last = (before or made)[-1]
                found.append((bool(before), last.offset, last.line))
        if found:
            line = min(found)[2]
            return _below(frame, line, at_exit) or (file, line)
    return None


def _below(frame, line, at_exit):
    """Not if the weights have diverged: then any line meets NaN."""
    local = _variables(frame, at_exit)
    for value in [*list(local.values())[:_NAMES], *list(frame.f_globals.values())[:_NAMES]]:
        if _is_astray(value):
            return None
    from hooks.origins import below

    return below(frame.f_code, line, local, frame.f_globals)


def _is_astray(model):
    """The first weights of a torch module, if they are few and on the CPU."""
    todo, looked = [model], 0
    while todo and looked < _MODULES:
        names = attributes(todo.pop())
        weights, parts = names.get("_parameters"), names.get("_modules")
        if type(weights) is not dict or type(parts) is not dict:
            continue
        looked += 1
        todo.extend(parts.values())
        for weight in weights.values():
            tensor = weight.data if type(weight).__name__ == "Parameter" else None
            if tensor is None or not _is_cpu_tensor(tensor) or tensor.nelement() > _FEW:
                continue
            largest = tensor.abs().max().item() if tensor.nelement() else 0.0
            if not largest <= _ASTRAY:
                return True
    return False


class _Store:
    def __init__(self, offset, line, given):
        self.offset = offset
        self.line = line
        self.given = given  # the program itself writes infinity or NaN there


def _stores(code):
    """Where each variable is set: name -> stores, in the order of the code."""
    dis = sys.modules.get("dis")
    found = {}
    if dis is None or len(code.co_code) > _LONGEST:
        return found
    starts = dict(dis.findlinestarts(code))
    line, given = 0, False
    for one in dis.get_instructions(code):
        if starts.get(one.offset):
            line, given = starts[one.offset], False
        value, operation = one.argval, one.opname
        if operation.startswith("LOAD_") and type(value) in (str, float):
            given = given or str(value).lower().lstrip("+-") in _GIVEN
        if not operation.startswith("STORE_") or operation.startswith(_NO_VARIABLE):
            continue
        names = value if type(value) is tuple else (value,)
        if operation.endswith("LOAD_FAST"):
            names = names[:1]
        for name in names:
            found.setdefault(name, []).append(_Store(one.offset, line, given))
    return found


def _is_cpu_tensor(value):
    kind = type(value)
    return (
        kind.__name__ == "Tensor"
        and kind.__module__ == "torch"
        and value.is_floating_point()
        and value.device.type == "cpu"
    )


def _holds_nan(value):
    if _is_cpu_tensor(value):
        if not 1 < value.nelement() <= _FEW:
            return False
        total = value.detach().sum().item()
        return total != total
    if type(value).__module__ != "numpy" or type(value).__name__ != "ndarray":
        return False
    if value.dtype.kind != "f" or not 1 < value.size <= _FEW_ONE_BY_ONE:
        return False
    # Not by a sum: with infinities NumPy would warn on the program's stderr.
    return any(one != one for one in value.ravel().tolist())


def _nonfinite(name, value, checked):
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
    # Searches often begin with infinity, but not with an infinite error.
    measure = checked or _is_measure(name)
    return "inf" if value in (float("inf"), float("-inf")) and measure else None


def _is_measure(name):
    return any(word in name.lower() for word in _MEASURES)
