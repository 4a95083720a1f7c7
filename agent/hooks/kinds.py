"""What an object is, found without running any code of its class.

`isinstance` asks `__class__`, and `__dict__` may be a property: both are the program's own code.
So types are compared by `is` and by `issubclass(type(x), ...)`, and read by descriptors of `type`.
A file of its own beside opaque.py, because every growing program pays for compiling this one.
"""

_name = type.__dict__["__name__"].__get__
_module = type.__dict__["__module__"].__get__
_flags = type.__dict__["__flags__"].__get__
bases = type.__dict__["__mro__"].__get__
names_of = type.__dict__["__dict__"].__get__
GETSET = type(type.__dict__["__dict__"])
_function = type(lambda: 0)
MEMBER = type(_function.__dict__["__closure__"])


def title_of(kind):
    """The name of a type."""
    return _name(kind)


def module_of(kind):
    found = _module(kind)
    return found if type(found) is str else ""


def is_front_end(kind):
    """IPython's own: in a notebook `exit` and `quit` lead to the shell, and so to every name."""
    return module_of(kind).partition(".")[0] in ("IPython", "ipykernel")


def is_a(value, kinds):
    """isinstance without asking the value's `__class__`."""
    return issubclass(type(value), kinds)


def reads_dictionary(descriptor, kind):
    """Asking an instance of a C type (io.StringIO) for its dictionary creates one, which is then
    pickled with it. A `MEMBER` only reads; functions are not pickled by what they hold."""
    if type(descriptor) is MEMBER:
        return True
    immutable, made_by_class = 1 << 8, 1 << 9
    return type(descriptor) is GETSET and (
        _flags(kind) & (immutable | made_by_class) == made_by_class or kind is _function
    )


def dictionary_of(thing):
    """Of an instance or a module; None if it has none, or if its class hides it."""
    for base in bases(type(thing)):
        own = names_of(base).get("__dict__")
        if reads_dictionary(own, type(thing)):
            held = own.__get__(thing)
            return held if type(held) is dict else None
    return None
