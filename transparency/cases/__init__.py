"""The tables of cases, in the order of the report."""

from transparency.case import Case
from transparency.cases import (
    companions,
    ends,
    languages,
    limits,
    output,
    pythons,
    sandboxes,
    shells,
    signals,
    surroundings,
    terminals,
    visible,
)

TABLES = (
    output,
    ends,
    surroundings,
    limits,
    signals,
    terminals,
    shells,
    pythons,
    languages,
    companions,
    sandboxes,
    visible,
)


def every_case() -> list[Case]:
    cases = [case for table in TABLES for case in table.CASES]
    names = [case.name for case in cases]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(f"two cases of one name: {', '.join(sorted(twice))}")
    return cases
