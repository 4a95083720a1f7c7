"""Makes frozen dataclasses from JSON: ignores unknown fields, gives missing ones defaults."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")
_OR_NONE = " | None"


def load(kind: type[T], data: Mapping[str, Any]) -> T:
    """Builds ``kind`` from a JSON object; a newer program may send more than we know.

    The type hints are read as text, because Python 3.8 cannot evaluate "str | None": the
    module of ``kind`` needs ``from __future__ import annotations``.
    """
    names = vars(sys.modules[kind.__module__])
    known = {
        field.name: _value(_text(field.type), names, data[field.name])
        for field in fields(kind)  # type: ignore[arg-type]
        if data.get(field.name) is not None
    }
    return kind(**known)


def _text(hint: Any) -> str:
    if not isinstance(hint, str):
        raise TypeError("the module of a loaded class needs `from __future__ import annotations`")
    return hint


def _value(hint: str, names: Mapping[str, Any], value: Any) -> Any:
    if hint.endswith(_OR_NONE):  # None itself never gets here
        hint = hint[: -len(_OR_NONE)]
    if hint.startswith("tuple[") and hint.endswith(", ...]"):
        item_hint = hint[len("tuple[") : -len(", ...]")]
        return tuple(_value(item_hint, names, item) for item in value)
    kind = names.get(hint)
    return load(kind, value) if is_dataclass(kind) else value  # type: ignore[arg-type]
