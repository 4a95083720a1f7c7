"""Makes frozen dataclasses from JSON: fields it does not know are ignored, absent ones default."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


def load(kind: type[T], data: Mapping[str, Any]) -> T:
    """Builds ``kind`` from a JSON object; a newer program may send more than we know."""
    hints = get_type_hints(kind)
    known = {
        field.name: _value(hints[field.name], data[field.name])
        for field in fields(kind)  # type: ignore[arg-type]
        if data.get(field.name) is not None
    }
    return kind(**known)


def _value(hint: Any, value: Any) -> Any:
    if get_origin(hint) is UnionType:  # "X | None"; None itself never gets here
        hint = next(option for option in get_args(hint) if option is not NoneType)
    if get_origin(hint) is tuple:
        return tuple(_value(get_args(hint)[0], item) for item in value)
    if is_dataclass(hint):
        return load(hint, value)  # type: ignore[arg-type]
    return value
