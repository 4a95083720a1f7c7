"""What to do about memory that ran out, in the names of the program itself."""

import sys

_LEAST = 8 << 20  # bytes that an advice must save
_MOST = 4
_WHOLE = {  # reads everything at once -> how to read it in pieces
    "read_csv": ("Read the file in pieces", "for part in {call}(..., chunksize=100_000):\n    ..."),
    "read_json": (
        "Read it in pieces",
        "for part in {call}(..., lines=True, chunksize=100_000): ...",
    ),
    "read_parquet": ("Read the columns you need", '{call}(..., columns=["..."])'),
    "load": ("Map the file instead of reading it", '{call}(..., mmap_mode="r")'),
}
_EMPTIED = ("list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Counter")


def advise(variables, others, line, human):
    """[{"text", "code"}], the most useful first; `line`: the statement that was refused."""
    statement = _parse(line)
    used = _names_in(statement)
    found = []
    for one in variables:
        if one.bytes >= _LEAST and not one.device:
            found += _of_variable(one, one.name in used, human)
    found += _of_statement(statement, variables, human)
    for other in others:
        if other["bytes"] >= _LEAST and other["idle"] != 0:
            idle = "" if other["idle"] is None else f", idle for {duration(other['idle'])}"
            size = human(other["bytes"])
            found.append((other["bytes"], f"Shut down {other['name']}: {size}{idle}.", ""))
    found = [one for one in found if one[0] >= _LEAST]
    found.sort(key=lambda one: one[0], reverse=True)
    return [{"text": text, "code": code} for _, text, code in found[:_MOST]]


def _of_variable(one, used, human):
    size = human(one.bytes)
    if one.owner:
        text = f"The last error still holds `{one.path}` of {one.owner}(), {size}: let go of it."
        return [(one.bytes, text, "import holdfast; holdfast.free()")]
    if "a view that keeps" in one.text:
        text = f"`{one.path}` is a view that keeps {size}: copy what is needed of it."
        return [(one.bytes, text, f"{one.path} = {one.path}.copy()")]
    found = []
    if one.items is not None and one.items >= 2 and one.kind in _EMPTIED:
        text = f"`{one.path}` keeps {one.items:,} items, {size}: keep a summary, or empty it."
        found.append((one.bytes, text, f"{one.path}.clear()"))
    elif not used:
        text = f"`{one.name}` holds {size} and is not used in this line: if it has served, drop it."
        found.append((one.bytes, text, _deletion(one)))
    if one.text.startswith("float64") and not one.about:
        text = f"`{one.path}` is float64: made as float32 it takes {human(one.bytes // 2)}."
        found.append((one.bytes // 2, text, 'dtype="float32"'))
    return found


def _deletion(one):
    names = [name for name in (one.name, *one.also) if name.isidentifier()]
    if not names:  # Out[3]
        return "import holdfast; holdfast.free()"
    return "del " + ", ".join(names)


def _of_statement(statement, variables, human):
    ast = sys.modules.get("ast")
    found = []
    large = {one.path: one for one in variables if one.bytes >= _LEAST and "array" in one.text}
    for node in ast.walk(statement) if statement is not None else ():
        if type(node) is ast.BinOp and type(node.left) is ast.Name and node.left.id in large:
            sign = _SIGNS.get(type(node.op).__name__)
            right = _source(node.right)
            if sign and right:
                name = node.left.id
                size = human(large[name].bytes)
                text = f"`{name}` can be changed in place, which needs no other {size}."
                found.append((large[name].bytes, text, f"{name} {sign}= {right}"))
                break
        if type(node) is ast.Call:
            called = _source(node.func)
            way = _WHOLE.get(called.rpartition(".")[2])
            if way and "." in called:
                found.append((1 << 60, way[0] + ".", way[1].replace("{call}", called)))
    return found


_SIGNS = {"Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%"}


def _source(node):
    """The text of names, attributes and numbers; nothing for any other expression."""
    ast = sys.modules["ast"]
    if type(node) is ast.Name:
        return node.id
    if type(node) is ast.Attribute:
        inner = _source(node.value)
        return inner and f"{inner}.{node.attr}"
    if type(node) is ast.Constant and type(node.value) in (int, float):
        return repr(node.value)
    return ""


def _parse(line):
    ast = sys.modules.get("ast")
    if ast is None or not line:
        return None
    try:
        return ast.parse(line.strip())
    except (SyntaxError, ValueError):  # part of a statement, or a magic
        return None


def _names_in(statement):
    ast = sys.modules.get("ast")
    if statement is None:
        return set()
    return {node.id for node in ast.walk(statement) if type(node) is ast.Name}


def duration(seconds):
    """ "40 s", "12 min", "3 h"."""
    if seconds < 100:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 6000 else f"{seconds // 3600} h"
