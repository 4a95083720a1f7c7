"""Makes stacks of every shape and compares Python's own view with what the agent read.

usage: stack_shapes.py LIBRARY      LIBRARY: agent/python/stack_test.cc, built
Runs on every CPython from 3.8 on, so it uses nothing newer. Prints the differences.
"""
# The odd shapes are the point.
# ruff: noqa: B018, B035, B905, C400, C417, UP031, UP032, PTH108, PTH110, PTH123, SIM115

import asyncio
import contextlib
import ctypes
import functools
import os
import sys
import threading

LIBRARY = ctypes.PyDLL(sys.argv[1])
QUALIFIED = sys.version_info >= (3, 11)
ROOM = 1 << 20
wrong = []
checked = []


def name_of(code):
    return code.co_qualname if QUALIFIED else code.co_name


def expected(frame):
    lines = []
    while frame is not None:
        code = frame.f_code
        lines.append((frame.f_lineno or 0, code.co_filename.encode(), name_of(code).encode()))
        frame = frame.f_back
    return lines


def parsed(text):
    found = []
    for line in text.split(b"\n"):
        if line.startswith(b"F "):
            number, file, function = line[2:].split(b"\t")
            found.append((int(number), file, function))
    return found


def call(function, *more):
    buffer = ctypes.create_string_buffer(ROOM)
    size = function(buffer, ctypes.c_size_t(ROOM), *more)
    return buffer.raw[:size]


def check(shape, limit=400):
    """Compares the caller's stack, read inside; this frame itself is at another line by then."""
    got = parsed(call(LIBRARY.probe_own))
    want = expected(sys._getframe())
    compare(shape, got[2:limit], want[1 : limit - 1])


def compare(shape, got, want):
    checked.append(shape)
    if got != want or not want:
        wrong.append(shape)
        if wrong.count(shape) > 2:
            return
        print("{}:".format(shape))
        for one in [pair for pair in zip(got, want) if pair[0] != pair[1]][:5]:
            print("   read {!r}, is {!r}".format(*one))
        print("   %d read, %d are" % (len(got), len(want)))


def plain():
    check("function")


# fmt: off
def many_lines():
    check(
        "call over many lines"
        if len("x") == 1
        else
        "never",
    )
# fmt: on


class Shape:
    def method(self):
        check("method")

    @property
    def prop(self):
        check("property")
        return 1

    @staticmethod
    def static():
        check("static method")

    @classmethod
    def of_class(cls):
        check("class method")

    def __del__(self):
        check("finaliser")

    def __getattr__(self, name):
        if name != "surprise":
            raise AttributeError(name)
        check("__getattr__")
        return 1


def decorated(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


@decorated
@decorated
def under_decorators():
    check("decorators")


def generator():
    yield 1
    check("generator")
    yield 2
    yield from nested_generator()


def nested_generator():
    check("yield from")
    yield 3


async def coroutine():
    await asyncio.sleep(0)
    check("coroutine")
    async for _ in async_generator():
        check("async for")


async def async_generator():
    yield 1
    check("async generator")


@contextlib.contextmanager
def managed():
    check("context manager enters")
    yield
    check("context manager leaves")


def recursive(depth):
    if depth == 0:
        check("recursion")
        return
    recursive(depth - 1)


def raises():
    try:
        raise ValueError("x")
    except ValueError:
        check("except")
    finally:
        check("finally")


def in_try():
    try:
        try:
            raise ValueError
        finally:
            check("finally on the way out")
    except ValueError:
        pass


def closures():
    outer = 1

    def inside():
        nonlocal outer
        outer += 1
        check("closure")

    inside()


def long_function():
    source = ["def f():"] + ["    x = %d" % i for i in range(3000)] + ["    check('line 3002')"]
    source += ["    y = 1"] * 70
    source += [
        "    x = [",
        *["        %d," % i for i in range(900)],
        "        check('line 3974'),",
        "    ]",
    ]
    scope = {"check": check}
    exec(compile("\n".join(source), "long.py", "exec"), scope)
    scope["f"]()


def executed():
    exec("check('exec')\n\n\nif True:\n    check('exec, line 5')", {"check": check})
    eval("check('eval')", {"check": check})
    file = "d\u00e9p\u00f4t/\u6a21\u578b/\U0001f40d.py"
    exec(
        compile("\n\ndef f\u00fcr():\n    check('unicode')\nf\u00fcr()", file, "exec"),
        {"check": check},
    )
    exec(compile("\ncheck('latin 1')", "caf\u00e9.py", "exec"), {"check": check})
    exec(compile("check('long name')", "/" + "x" * 3000, "exec"), {"check": check_long})


def check_long(shape):
    (line, file, _), *_ = parsed(call(LIBRARY.probe_own))[2:]
    compare(shape, [(line, file)], [(1, b"/" + b"x" * 511)])


def reused():
    """Code objects that reuse one address, all with one line, must keep their own names."""
    for number in range(300):
        scope = {"check": check}
        exec(compile("check('reused')", "cell %d" % number, "exec"), scope)


class Text(str):
    pass


def strange_names():
    code = compile("check('subclass of str')", "x", "exec").replace(
        co_filename=Text("sub/class.py")
    )
    exec(code, {"check": check})


# fmt: off
def comprehensions():
    [check("list comprehension") for _ in range(1)]
    {check("set comprehension") for _ in range(1)}
    {1: check("dict comprehension") for _ in range(1)}
    list(check("generator expression") for _ in range(1))
    [[check("nested comprehension") for _ in range(1)]
     for _ in range(1)]
    (lambda: check("lambda"))()
    sorted([2, 1], key=lambda _: check("key function") or 0)
    list(map(lambda _:
             check("lambda over lines"), [1]))
# fmt: on


def traced():
    def tracer(frame, event, argument):
        return tracer

    sys.settrace(tracer)
    check("under a tracer")
    sys.settrace(None)
    check("after a tracer")


def from_c():
    @ctypes.CFUNCTYPE(None)
    def called_back():
        check("callback from C")

    called_back()


def wait_here(started, go):
    started.set()
    go.wait()


def threads():
    started, go = threading.Event(), threading.Event()
    names = {}

    def in_thread():
        check("own thread")
        names[threading.get_ident()] = threading.get_native_id()
        wait_here(started, go)

    others = []
    for _ in range(3):
        started.clear()
        others.append(threading.Thread(target=in_thread))
        others[-1].start()
        started.wait()
    names[threading.get_ident()] = threading.get_native_id()
    for first in names.values():
        text = call(LIBRARY.probe_all, first)
        frames = sys._current_frames()
        stacks = [part.split(b"\n")[:-1] for part in text.split(b"T ") if part]
        tids = [int(stack[0].split()[0]) for stack in stacks]
        compare("the asked thread first", tids[:1], [first])
        compare("all threads", sorted(tids), sorted(names.values()))
        for ident, tid in names.items():
            got = parsed(b"\n".join(stacks[tids.index(tid)]))
            want = expected(frames[ident])
            if ident == threading.get_ident():
                got, want = got[2:], want[1:]
            compare("thread %d of all" % tid, got, want)
        main = [stack[0] for stack in stacks if stack[0].startswith(b"%d " % os.getpid())]
        compare("the main thread's name", main, [b"%d MainThread" % os.getpid()])

    def asks_for_main():
        got = parsed(call(LIBRARY.probe_main))
        want = expected(sys._current_frames()[threading.main_thread().ident])
        # The line at which threading itself waits does not matter.
        skip = next(i for i, one in enumerate(want) if one[2] == b"threads")
        compare("main thread from another", got[-len(want) + skip :], want[skip:])

    asker = threading.Thread(target=asks_for_main)
    # On one line, so that the main thread's line is the same wherever it is.
    asker.start(), asker.join()
    go.set()
    for other in others:
        other.join()


def in_subinterpreter():
    """Before 3.12 the calling line in the main interpreter is what a thread shows."""
    for module in ("_interpreters", "_xxsubinterpreters"):
        try:
            interpreters = __import__(module)
            break
        except ImportError:
            pass
    else:
        return
    own = interpreters.create()
    source = (
        "\n\nimport ctypes\nbuffer = ctypes.create_string_buffer(65536)\n"
        "size = ctypes.PyDLL({!r}).probe_own(buffer, ctypes.c_size_t(65536))\n"
        "open({!r}, 'wb').write(buffer.raw[:size])\n".format(
            sys.argv[1], "/tmp/hf-sub-%d" % os.getpid()
        )
    )
    path = "/tmp/hf-sub-%d" % os.getpid()
    try:
        failed = interpreters.run_string(own, source)
        got = parsed(open(path, "rb").read()) if os.path.exists(path) else failed
    except Exception as error:  # ctypes does not load into isolated interpreters everywhere
        print("no ctypes in a subinterpreter: {!r}".format(error), file=sys.stderr)
        return
    finally:
        if os.path.exists(path):
            os.unlink(path)
    if not isinstance(got, list):
        print("no ctypes in a subinterpreter: {!r}".format(got), file=sys.stderr)
        return
    if sys.version_info >= (3, 12):
        compare("subinterpreter", [got[0][::2]], [(5, b"<module>")])
    else:
        compare("subinterpreter", [got[0][2]], [b"in_subinterpreter"])


def forked():
    if os.fork() == 0:
        before = len(wrong)
        check("child of fork")
        text = call(LIBRARY.probe_all, os.getpid())
        compare("own number after fork", text.split()[1:3], [b"%d" % os.getpid(), b"MainThread"])
        sys.stdout.flush()
        os._exit(0 if len(wrong) == before else 1)
    compare("fork", [os.wait()[1]], [0])


def once():
    def here():
        LIBRARY.probe_own(buffer, ctypes.c_size_t(ROOM))

    buffer = ctypes.create_string_buffer(ROOM)
    for _ in range(3):
        here()
    before = LIBRARY.probe_described()
    for _ in range(1000):
        here()
    # The loop's own line is new to the table; a specialised instruction may be another place.
    compare("described once", [LIBRARY.probe_described() - before < 8], [True])


def shapes():
    version = (ctypes.c_int * 7)()
    LIBRARY.probe_version(version)
    compare("version", list(version[:3]), list(sys.version_info[:3]))
    compare("here and running", list(version[5:]), [1, 1])
    compare("lines", [version[4]], [1])
    plain()
    many_lines()
    shape = Shape()
    shape.method()
    shape.prop
    shape.static()
    shape.of_class()
    shape.surprise
    del shape
    under_decorators()
    list(generator())
    asyncio.run(coroutine())
    with managed():
        check("with")
    recursive(150)
    raises()
    in_try()
    closures()
    comprehensions()
    executed()
    reused()
    long_function()
    strange_names()
    traced()
    from_c()
    threads()
    once()
    forked()
    in_subinterpreter()


if __name__ == "__main__":
    shapes()
    print(f"{len(checked)} checked, {len(wrong)} wrong")
    sys.exit(1 if wrong or len(checked) < 3 else 0)
