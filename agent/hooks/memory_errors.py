"""Which errors are about memory, found without running a line of their classes."""

from hooks.kinds import module_of, title_of

_SAID = ("can't allocate memory", "bad_alloc", "cannot allocate memory")
_NO_MEMORY = 12  # ENOMEM
_context = BaseException.__context__.__get__
_cause = BaseException.__cause__.__get__
_arguments = BaseException.args.__get__


def about_memory(error):
    """The MemoryError in a chain of errors, or a library's form of it."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if issubclass(type(error), MemoryError) or _says_so(error):
            return error
        error = _cause(error) or _context(error)
    return None


def _says_so(error):
    """torch and OSError; makes no text of an error, because that runs its class's code."""
    kind = type(error)
    if kind is OSError:
        return OSError.errno.__get__(error) == _NO_MEMORY
    if title_of(kind) == "ResourceExhaustedError" and module_of(kind).startswith("tensorflow"):
        return True
    given = _arguments(error)
    text = given[0] if given and type(given[0]) is str else ""
    return kind is RuntimeError and any(part in text.lower() for part in _SAID)
