"""The words below a cell that failed for want of memory, and those of `%holdfast variables`."""

import sys

from _holdfast_agent import attempt, headroom, refusal
from hooks.keepers import grown_most, locals_of
from hooks.kinds import module_of, title_of
from hooks.memory_advice import advise
from hooks.memory_report import SHOWN, html, human, plain
from hooks.numbers import GUARD_BRINK, GUARD_NOTHING_LEFT
from hooks.other_kernels import others
from hooks.own_code import attributes, is_own
from hooks.variables import largest

MIME = "application/vnd.holdfast.memory+json"
_NONE_LARGE = "No variable holds more than 64 KiB"
_GONE = f"{_NONE_LARGE}: what filled the memory went with the error."
_traceback = BaseException.__traceback__.__get__


def tell(shell, error, refused_before):
    """Publishes the panel of an error that is about memory."""
    counts = refusal()
    really = counts is not None and counts[0] > refused_before
    publish(shell, gather(shell, error, counts if really else None))


def show(shell):
    """What the button "Show variables" shows."""
    publish(shell, gather(shell))


def weigh(shell, most):
    """Only the largest variables, before and after a measured cell."""
    return largest(_spaces(shell, ()), most)


def publish(shell, facts):
    data = {"text/plain": plain(facts), "text/html": html(facts), MIME: facts}
    shell.display_pub.publish(data)


def gather(shell, error=None, refused=None):
    """All values of the panel as plain data; without an error, only the variables."""
    frames = _own_frames(error)
    variables = largest(_spaces(shell, frames + _kept_frames(error)))
    company = []
    attempt(lambda: company.extend(others()))
    room = refused[3:5] if refused else headroom()
    line = _line_of(frames[-1]) if frames else ""
    advice = [] if error is None else advise(variables, company, line, human)
    grew = _grown()
    rows = [_plain(one, grew) for one in variables]
    return {
        "kind": "variables" if error is None else _kind(error, refused),
        "headline": _headline(error, refused, room, variables),
        "room": room[0] if room else None,
        "limit": room[1] if room else None,
        "note": _GONE if error is not None and not rows else "",
        "variables": rows,
        # Nothing appears twice: neither a growing variable that is in the list, nor one that the
        # advice names.
        "grew": None if any(row["grown"] for row in rows[:SHOWN]) else grew,
        "others": [one for one in company if not any(one["name"] in a["text"] for a in advice)],
        "advice": advice,
    }


def _grown():
    """Without IPython's own names for inputs and outputs."""
    grew = grown_most()
    return None if grew is None or grew["name"].startswith("_") else grew


def _plain(one, grew):
    row = {name: getattr(one, name) for name in one.__slots__}
    is_same = grew is not None and not one.owner and grew["name"] in (one.path, one.name)
    row["grown"] = (grew["grown"] or 0) if is_same else 0
    return row


def _kind(error, refused):
    if title_of(type(error)) == "BrinkError":
        return "brink"
    return "refused" if refused else "memory-error"


def _headline(error, refused, room, variables):
    left = f"{human(room[0])} of {human(room[1])} left" if room else ""
    if error is None:
        held = sum(one.bytes for one in variables if not one.device)
        what = f"The largest variables hold {human(held)}" if held else _NONE_LARGE
        return what + (f"; {left}" if left else "")
    kind = _kind(error, refused)
    if kind == "brink" or (refused and refused[1] == GUARD_BRINK):
        return f"Holdfast stopped this cell before memory ran out: {left}"
    if refused and refused[1] == GUARD_NOTHING_LEFT:
        return f"Holdfast kept this kernel alive: memory was nearly used up, {left}"
    asked = refused[2] if refused else _asked(error)
    wish = f"{human(asked)} asked for, {left}" if asked else left
    if refused and room and 0 < asked <= room[0]:
        wish += ", and some of that must stay free"
    who = "Holdfast kept this kernel alive" if refused else "Memory was refused by the system"
    return f"{who}: {wish}" if wish else who


def _asked(error):
    """NumPy's error knows the shape."""
    names = attributes(error)
    shape, dtype = names.get("shape"), names.get("dtype")
    if type(shape) is not tuple or module_of(type(error)).partition(".")[0] != "numpy":
        return 0
    size = int(dtype.itemsize)
    for length in shape:
        size *= int(length)
    return size


def _own_frames(error):
    """The frames of the traceback; if the error went through others, those of its context, too."""
    found = []
    entry = _traceback(error) if error is not None else None
    while entry is not None:
        if is_own(entry.tb_frame.f_code.co_filename):
            found.append((entry.tb_frame, entry.tb_lineno))
        entry = entry.tb_next
    return found


def _kept_frames(error):
    """The frames of the error shown last: the interpreter keeps it, and its local variables."""
    last = getattr(sys, "last_value", None)
    known = last is not error and issubclass(type(last), BaseException)
    return _own_frames(last) if known else []


def _spaces(shell, frames):
    """The notebook's variables and outputs, and the local variables that the error keeps."""
    names = shell.user_ns
    hidden = set(dict.keys(shell.user_ns_hidden)) | {"Out", "In", "_oh", "_ih", "_dh"}
    spaces = [(names, "", hidden)]
    outputs = names.get("Out")
    if type(outputs) is dict:
        spaces.append(({f"Out[{number}]": held for number, held in outputs.items()}, "", ()))
    for frame, _ in frames:
        if frame.f_globals is not frame.f_locals and frame.f_code.co_flags & 1:
            spaces.append((locals_of(frame), frame.f_code.co_name, ()))
    return spaces


def _line_of(place):
    frame, number = place
    cache = getattr(sys.modules.get("linecache"), "cache", {})
    entry = cache.get(frame.f_code.co_filename)
    lines = entry[2] if type(entry) is tuple and len(entry) == 4 else ()
    return lines[number - 1] if 0 < number <= len(lines) else ""
