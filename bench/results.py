"""Writes the tables that the documents show: bench/results/NAME.md, which tools/bench-tables puts
into the pages.

A table is written as a whole, or a run replaces its own rows or its own column of it, so that one
that takes several machines or Pythons can be made in pieces.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent / "results"
Rows = list[list[str]]


def split(line: str) -> list[str]:
    """The cells of a table's line; a bar in a cell is written as backslash and bar."""
    cells = line.strip().strip("|").replace("\\|", "\0").split("|")
    return [cell.strip().replace("\0", "\\|") for cell in cells]


def lines_of(rows: Rows) -> list[str]:
    return ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in rows]


def read(name: str) -> tuple[list[str], list[str], list[str], Rows]:
    """What stands above the table, its head, the line that aligns it, its rows."""
    file = FOLDER / f"{name}.md"
    lines = file.read_text().splitlines() if file.exists() else []
    table = [number for number, line in enumerate(lines) if line.startswith("|")]
    if not table:
        return lines, [], [], []
    head, align, *rows = [split(line) for line in lines[table[0] :] if line.startswith("|")]
    return lines[: table[0]], head, align, rows


def save(name: str, above: list[str], head: list[str], align: list[str], rows: Rows) -> None:
    FOLDER.mkdir(exist_ok=True)
    rule = "|" + "|".join(align) + "|"
    lines = [*above, *lines_of([head]), rule, *lines_of(rows)]
    (FOLDER / f"{name}.md").write_text("\n".join(lines) + "\n")
    print(f"wrote bench/results/{name}.md; tools/bench-tables puts it into the pages")


def aligned(head: list[str]) -> list[str]:
    return ["---", *["--:"] * (len(head) - 1)]


def said_by(command: str) -> list[str]:
    return [f"<!-- made by: {command} -->", ""]


def write(
    name: str, command: str, head: list[str], rows: Rows, align: list[str] | None = None
) -> None:
    """The whole table."""
    save(name, said_by(command), head, align or aligned(head), rows)


def write_rows(name: str, command: str, head: list[str], rows: Rows) -> None:
    """Replaces the rows that begin with the same cell, and adds the others."""
    above, old_head, align, old = read(name)
    if len(old_head) != len(head):
        write(name, command, head, rows)
        return
    new = {row[0]: row for row in rows}
    kept = [new.pop(row[0], row) for row in old]
    save(name, above, old_head, align, [*kept, *new.values()])


def write_column(name: str, command: str, first: str, column: str, cells: dict[str, str]) -> None:
    """Replaces the column of this name, or adds it; a row that it does not have stays."""
    above, head, align, old = read(name)
    if not head:
        above, head, align = said_by(command), [first], ["---"]
    if column not in head:
        head, align = [*head, column], [*align, "--:"]
    at = head.index(column)
    rows = {row[0]: [*row, *["-"] * (len(head) - len(row))] for row in old}
    for name_of_row, cell in cells.items():
        row = rows.setdefault(name_of_row, [name_of_row, *["-"] * (len(head) - 1)])
        row[at] = cell
    save(name, above, head, align, [*rows.values()])
