"""An exception that nobody caught, put into the black box."""

import sys

import _holdfast_agent

_FRAMES = 32
_INNERMOST = 24
_CAUSES = 8
_WHOLE = 1 << 16
_GENERATED = "/__autograph_generated_file"  # see autograph.py


def record(error, thread="MainThread", is_main=True, traceback=None):
    """Type, text, causes and frames. Keeps no reference: the frames hold the program's data."""
    places = _places(traceback if traceback is not None else error.__traceback__)
    first = _first_alike(error)
    if first is not error:
        places = _joined(places, _places(first.__traceback__))
    if any(_GENERATED in place[0] for _, place in places):
        from hooks.autograph import translated

        places = translated(places, _text(error, _WHOLE))
    _holdfast_agent.exception(
        _type_name(type(error)),
        _text(error, 1000),
        "\n".join(_causes(error)),
        thread,
        is_main,
        _frames(places),
    )
    _holdfast_agent.attempt(_note_the_rest, error, first, is_main)


def _note_the_rest(error, first, is_main):
    """Imports only here what few programs need, because this file is compiled in every program that
    grows. With torch.cuda the first two are compiled already."""
    if "torch.cuda" in sys.modules:
        from hooks.cuda_memory import note_if_out_of_memory
        from hooks.launches import keep_if_cuda_failed

        _holdfast_agent.attempt(keep_if_cuda_failed, error)
        _holdfast_agent.attempt(note_if_out_of_memory, error)
    if "tensorflow" in sys.modules or "jax" in sys.modules:
        from hooks.gpu_options import note_gpu_options

        _holdfast_agent.attempt(note_gpu_options)
    # After a lack of memory there is none left for looking at the variables.
    if is_main and not isinstance(error, MemoryError):
        from hooks.nonfinite import note_if_any

        _holdfast_agent.attempt(note_if_any, first.__traceback__)


def _type_name(kind):
    module = getattr(kind, "__module__", None)
    if module in (None, "builtins", "__main__"):
        return kind.__qualname__
    return f"{module}.{kind.__qualname__}"


def _text(error, most):
    try:
        text = str(error)
    except Exception:  # __str__ is the program's code and may fail; tracebacks survive that, too
        return "<exception str() failed>"
    if len(text) <= most:
        return text
    # TensorFlow says where a node was made, and after that what is wrong.
    return text[: most // 2] + " ... " + text[5 - most + most // 2 :]


def _first_alike(error):
    """The failed write, if closing the file then failed for the same reason."""
    said = _text(error, 1000)
    first = at = error
    for _ in range(_CAUSES):
        at = at.__context__
        if type(at) is not type(error) or _text(at, 1000) != said:
            if at is not None and isinstance(error, OSError):
                continue  # an archive complains in its own words that it is incomplete
            break
        if at.__traceback__ is not None:
            first = at
    return first


def _causes(error):
    """'ValueError: text' of each cause, nearest first; then the members of a group."""
    lines = []
    known = [error]
    for inner in getattr(error, "exceptions", ())[:4] if _is_group(error) else ():
        lines.append(f"{_type_name(type(inner))}: {_text(inner, 160)}")
    while len(lines) < _CAUSES:
        following = error.__cause__
        if following is None and not error.__suppress_context__:
            following = error.__context__
        if following is None or any(following is one for one in known):
            break
        known.append(following)
        text = _text(following, 200).split("\n", 1)[0]
        lines.append(f"{_type_name(type(following))}: {text}")
        error = following
    return lines


def _is_group(error):
    return any(kind.__name__ == "BaseExceptionGroup" for kind in type(error).__mro__)


def _places(traceback):
    """(frame's id, (file, function, line)), outermost first; both ends of a deep recursion."""
    outermost = []
    innermost = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        name = getattr(code, "co_qualname", code.co_name)
        # No line: the frame was at an instruction that belongs to no line.
        place = (id(traceback.tb_frame), (code.co_filename, name, traceback.tb_lineno or 0))
        if len(outermost) < _FRAMES - _INNERMOST:
            outermost.append(place)
        else:
            innermost.append(place)
            del innermost[:-_INNERMOST]
        traceback = traceback.tb_next
    return outermost + innermost


def _joined(places, earlier):
    """A caught error has no frames above the one that caught it; a later error has them."""
    for at, (frame, _) in enumerate(places):
        if earlier and frame == earlier[0][0]:
            return places[:at] + earlier
    return places


def _frames(places):
    """Innermost first."""
    outer = len(places) - _INNERMOST
    kept = places if len(places) <= _FRAMES else places[: _FRAMES - _INNERMOST] + places[outer:]
    return [place for _, place in kept][::-1]
