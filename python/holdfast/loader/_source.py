"""What a user gives as data, and how it is to be read."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from holdfast.loader._library import LoaderError

IMAGES = (".jpg", ".jpeg", ".png")
_MAGIC = re.compile(r"[*?\[]")
_KINDS = {
    ".npy": "records",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".txt": "text",
    ".text": "text",
    ".tar": "shards",
    ".parquet": "parquet",
    ".feather": "arrow",
    ".arrow": "arrow",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    **dict.fromkeys(IMAGES, "images"),
}
_REFUSED = {
    ".npz": "an .npz is a zip file, which cannot be read in pieces; save its arrays as .npy",
    ".gz": "compressed files cannot be read in pieces; unpack them once",
    ".zst": "compressed files cannot be read in pieces; unpack them once",
    ".pkl": "a pickle can only be read as a whole; save arrays as .npy",
    ".pt": "a file of torch.save can only be read as a whole; save arrays as .npy",
}


def is_path(source: Any) -> bool:
    """Text or a path."""
    return isinstance(source, (str, os.PathLike))


def is_paths(source: Any) -> bool:
    """A list of paths that is not empty."""
    return isinstance(source, list) and bool(source) and all(is_path(one) for one in source)


def kind_of_files(paths: list[str]) -> str:
    """The kind by the files' endings, which must agree."""
    kinds = set()
    for path in paths[:1000]:
        ending = Path(path).suffix.lower()
        if ending in _REFUSED:
            raise LoaderError(f"{path}: {_REFUSED[ending]}")
        if ending not in _KINDS:
            raise LoaderError(f"{path}: files that end in {ending or 'nothing'} are not supported")
        kinds.add(_KINDS[ending])
    if len(kinds) > 1:
        raise LoaderError(f"files of different kinds: {', '.join(sorted(kinds))}")
    return kinds.pop()


def expanded(text: str) -> list[str]:
    """The files of a pattern, for files other than images, in order."""
    import glob

    return sorted(glob.glob(text, recursive=True))


def pattern(text: str) -> dict[str, Any]:
    """A folder or a pattern of image files, for the library to walk."""
    parts = Path(text).parts
    fixed = 0
    while fixed < len(parts) and not _MAGIC.search(parts[fixed]):
        fixed += 1
    if fixed == len(parts):  # a folder
        return {"root": text, "parts": ["**", "*"], "endings": list(IMAGES), "by_top": True}
    root = str(Path(*parts[:fixed])) if fixed else ""
    wanted = list(parts[fixed:])
    endings = [] if Path(wanted[-1]).suffix.lower() in IMAGES else list(IMAGES)
    return {"root": root, "parts": wanted, "endings": endings, "by_top": False}


def plan(source: Any, options: dict[str, Any]) -> dict[str, Any] | None:
    """Options with which the library opens the data; None: it is read in Python."""
    if isinstance(source, np.memmap):
        return _memmap([source])
    if isinstance(source, tuple) and source and all(isinstance(one, np.memmap) for one in source):
        return _memmap(list(source))
    if isinstance(source, tuple) and source and all(is_path(one) for one in source):
        return {"kind": "records", "arrays": [_array(one, options) for one in source]}
    if is_paths(source):
        paths = [os.fspath(one) for one in source]
        return _of_kind(kind_of_files(paths), paths, options)
    if not is_path(source):
        return None
    text = os.fspath(source)
    if Path(text).is_dir():
        return {"kind": "images", "patterns": [pattern(text)]}
    if _MAGIC.search(text) and not Path(text).exists():
        ending = Path(text).suffix.lower()
        if ending in IMAGES or ending not in _KINDS:
            return {"kind": "images", "patterns": [pattern(text)]}
        paths = expanded(text)
        if not paths:
            raise LoaderError(f"{text}: no files match")
        return _of_kind(_KINDS[ending], paths, options)
    if not Path(text).exists():
        raise LoaderError(f"{text}: no such file or folder")
    if options.get("dtype") is not None and Path(text).suffix.lower() not in _KINDS:
        return {"kind": "records", "arrays": [_array(text, options)]}
    return _of_kind(kind_of_files([text]), [text], options)


def _of_kind(kind: str, paths: list[str], options: dict[str, Any]) -> dict[str, Any] | None:
    if kind == "records":
        return {"kind": kind, "arrays": [{"paths": paths}]}
    if kind == "csv":
        columns = options.get("columns")
        separator = "\t" if paths[0].lower().endswith(".tsv") else ","
        return {
            "kind": kind,
            "paths": paths,
            "columns": None if columns is None else list(columns),
            "header": options.get("header", True),
            "separator": options.get("separator") or separator,
        }
    if kind == "json":
        columns = options.get("columns")
        if columns is None:  # Python's own objects
            return {"kind": "text", "paths": paths, "objects": True}
        return {"kind": "json", "paths": paths, "columns": list(columns)}
    if kind in ("parquet", "arrow", "hdf5"):
        return None
    return {"kind": kind, "paths": paths}


def _array(path: Any, options: dict[str, Any]) -> dict[str, Any]:
    text = os.fspath(path)
    paths = expanded(text) if _MAGIC.search(text) and not Path(text).exists() else [text]
    if not paths:
        raise LoaderError(f"{text}: no files match")
    if not all(one.lower().endswith(".npy") for one in paths):
        if options.get("dtype") is None:
            kind_of_files(paths)
            raise LoaderError(f"{text}: a raw file needs dtype= and shape= (of one sample)")
        raw = {
            "dtype": np.dtype(options["dtype"]).str,
            "shape": list(options.get("shape") or ()),
            "offset": options.get("offset", 0),
        }
        return {"paths": paths, "raw": raw}
    return {"paths": paths}


def _memmap(arrays: list[Any]) -> dict[str, Any]:
    made = []
    for array in arrays:
        if not array.flags.c_contiguous or array.filename is None or array.ndim == 0:
            raise LoaderError("a memory map must be contiguous, and of a file with a name")
        whole = np.memmap(array.filename, dtype=np.uint8, mode="r")
        offset = array.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
        if offset < 0 or offset + array.nbytes != whole.nbytes:
            # A second mapping of the same file has its own offset.
            offset = getattr(array, "offset", 0)
        if offset + array.nbytes != whole.nbytes:
            raise LoaderError("a part of a memory map cannot be read separately; name the file")
        raw = {"dtype": array.dtype.str, "shape": list(array.shape[1:]), "offset": offset}
        made.append({"paths": [str(array.filename)], "raw": raw})
    return {"kind": "records", "arrays": made}


def label_rows(labels: Any, count: int, name: Any) -> Any:
    """Labels by a function, a CSV of two columns, or an array: one row for each sample."""
    if callable(labels):
        rows = np.asarray([labels(name(i)) for i in range(count)])
    elif is_path(labels):
        rows = _labels_by_csv(os.fspath(labels), count, name)
    else:
        rows = np.asarray(labels)
    if len(rows) != count:
        raise LoaderError(f"{len(rows)} labels for {count} samples")
    if rows.dtype == object or rows.dtype.kind in "US":
        raise LoaderError("labels must be numbers; replace each class name by its number")
    if rows.ndim > 1:
        raise LoaderError("labels must be one number for each sample")
    return np.ascontiguousarray(rows)


def _labels_by_csv(path: str, count: int, name: Any) -> Any:
    import csv

    table: dict[str, float] = {}
    if not Path(path).is_file():
        raise LoaderError(
            f'labels={path!r}: no such file; labels are "folder", a CSV of names and labels, '
            "a function of the path, or an array"
        )
    with Path(path).open(newline="", encoding="utf-8") as lines:
        for number, row in enumerate(csv.reader(lines), start=1):
            if len(row) < 2:
                raise LoaderError(f"{path}:{number}: expected a file's name and its label")
            try:
                table[row[0]] = float(row[1])
            except ValueError:
                if number > 1:  # the first line may be a header
                    raise LoaderError(
                        f"{path}:{number}: the label {row[1]!r} is not a number"
                    ) from None
    found = []
    for sample in range(count):
        whole = name(sample)
        # By its whole path, or by the end of the path: "a/b.jpg", "b.jpg".
        parts = whole.split("/")
        ends = ("/".join(parts[n:]) for n in range(len(parts)))
        label = next((table[end] for end in ends if end in table), None)
        if label is None:
            raise LoaderError(f"{path}: no label for {whole}")
        found.append(label)
    rows = np.asarray(found)
    return rows.astype(np.int64) if bool((rows == np.floor(rows)).all()) else rows
