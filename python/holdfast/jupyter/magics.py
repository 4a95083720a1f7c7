"""``%holdfast`` and ``%%memory``. Each is a plain function of the package as well."""

from __future__ import annotations

import ast
import linecache
import shlex
from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import display

import holdfast
from holdfast._command import HoldfastError
from holdfast.jupyter.own_run import own_run

_ACTIONS = "status, variables, why [RUN], runs, check [FRAMEWORK], fit MAKE BATCH GPU, free"


@magics_class
class HoldfastMagics(Magics):
    """The magics of ``%load_ext holdfast``."""

    @line_magic
    def holdfast(self, line: str) -> Any:
        """``%holdfast``: the state of the run and what holds its memory, or one of the actions."""
        action, *rest = shlex.split(line) or [""]
        try:
            if not action:
                return holdfast.variables(figures=holdfast.live().line)
            if action == "variables":
                return holdfast.variables()
            if action == "status":
                return holdfast.live()
            if action == "why":
                return holdfast.why(rest[0] if rest else own_run())
            if action == "runs":
                return holdfast.runs()
            if action == "check":
                return holdfast.check(framework=rest[0] if rest else None)
            if action in ("fit", "free"):
                return self._call(action, rest)
        except HoldfastError as error:
            raise UsageError(str(error)) from None
        raise UsageError(f"%holdfast {action}: say one of {_ACTIONS}")

    def _call(self, action: str, rest: list[str]) -> Any:
        """A function of the package; its arguments are expressions of the notebook."""
        function = getattr(holdfast, action, None)
        if function is None:
            raise UsageError(f"%holdfast {action}: this version of Holdfast cannot do that yet")
        positional, named = [], {}
        for word in rest:
            name, equals, value = word.partition("=")
            if equals and name.isidentifier():
                named[name] = self._value(value)
            else:
                positional.append(self._value(word))
        return function(*positional, **named)

    def _value(self, word: str) -> Any:
        try:
            return self.shell.ev(word)
        except (NameError, SyntaxError):  # a plain word, like 24GiB
            return word

    @cell_magic
    def memory(self, line: str, cell: str) -> Any:
        """``%%memory``: runs the cell, then shows which lines still hold memory, and the peak."""
        raw = self._raw_cell(line, cell)
        shell = self.shell
        name = shell.compile.get_code_name(raw, raw, shell.execution_count)
        # The cell's own line numbers, with the magic's line above them.
        tree = ast.parse("\n" + shell.transform_cell(cell), filename=name)
        body, last = tree.body, None
        if body and isinstance(body[-1], ast.Expr) and not cell.rstrip().endswith(";"):
            last = ast.Expression(body.pop().value)
        linecache.cache[name] = (len(raw), None, raw.splitlines(True), name)
        value = None
        with holdfast.measure(name, raw.splitlines()) as measured:
            try:
                exec(compile(tree, name, "exec"), shell.user_global_ns, shell.user_ns)
                if last is not None:
                    code = compile(last, name, "eval")
                    value = eval(code, shell.user_global_ns, shell.user_ns)
            except Exception:
                shell.showtraceback()
        display(measured.result)
        return value

    def _raw_cell(self, line: str, cell: str) -> str:
        """The whole cell as it was typed: ipykernel names its code after exactly that."""
        kernel: Any = getattr(self.shell, "kernel", None)
        parent = kernel.get_parent() if hasattr(kernel, "get_parent") else {}
        code = parent.get("content", {}).get("code", "")
        is_this = bool(code) and code.rstrip().endswith(cell.rstrip())
        return code if is_this else f"%%memory {line}\n{cell}"
