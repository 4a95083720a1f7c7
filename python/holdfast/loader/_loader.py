"""The Loader: batches of any data under a hard budget of bytes."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from pathlib import Path
from typing import Any, Callable, Iterator

import numpy as np

from holdfast._size import human
from holdfast.loader import _source
from holdfast.loader._arrays import fork_guard, wants_torch
from holdfast.loader._feeds import CoreFeed, IndexedMaker, IteratorFeed, MappedMaker, OwnFeed
from holdfast.loader._library import Core, LoaderError, Pass
from holdfast.loader._samples import Indexed, Mapped

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_STATE = 1


def in_bytes(size: Any) -> int:
    """``512MiB``, ``10GB`` (as everywhere in Holdfast: GiB), or a number of bytes."""
    if isinstance(size, (int, np.integer)) and not isinstance(size, bool):
        return int(size)
    text = str(size).strip().upper()
    for ending in ("IB", "B"):
        if text.endswith(ending):
            text = text[: -len(ending)]
            break
    unit = text[-1:] if text[-1:] in _UNITS else ""
    try:
        number = float(text[: len(text) - len(unit)])
    except ValueError:
        raise LoaderError(f"{size!r} is not a size; write 512MiB or 2GiB") from None
    if not 0 < number < 1e15:
        raise LoaderError(f"{size!r} is not a size; write 512MiB or 2GiB")
    return int(number * _UNITS[unit])


class Loader:
    """Batches of any data, in an order that the seed decides, in at most ``budget`` bytes.

    ``source``: a folder or pattern of JPEG and PNG files, ``.npy`` files or memory maps (a tuple of
    them: several arrays side by side), ``.csv``, ``.jsonl``, ``.txt``, ``.tar`` shards,
    ``.parquet``, ``.arrow``, ``.h5``, a list of paths, anything with ``__getitem__`` and
    ``__len__``, or an iterator. docs/loader.md describes each.
    """

    def __init__(
        self,
        source: Any,
        budget: Any = "512MiB",
        batch: int = 64,
        shuffle: bool | None = None,
        seed: int = 0,
        map: Callable[..., Any] | None = None,
        labels: Any = None,
        *,
        size: Any = None,
        crop: str | None = None,
        resize: int = 0,
        flip: bool = False,
        mean: Any = None,
        std: Any = None,
        dtype: Any = None,
        shape: Any = None,
        offset: int = 0,
        layout: str = "HWC",
        channels: int = 3,
        fast: bool = False,
        columns: Any = None,
        header: bool = True,
        separator: str | None = None,
        largest: Any = None,
        bad: str = "raise",
        drop_last: bool = False,
        rank: int | None = None,
        ranks: int | None = None,
        threads: int | None = None,
        processes: int = 0,
        as_: str | None = None,
        device: str | None = None,
        cache: str = "auto",
        index: Any = None,
    ):
        self._closed = True  # until construction is complete
        if not isinstance(batch, (int, np.integer)) or isinstance(batch, bool) or batch < 1:
            raise LoaderError(f"batch must be 1 or more, not {batch!r}")
        if bad not in ("raise", "skip"):
            raise LoaderError('bad is "raise" or "skip"')
        if cache not in ("auto", "keep", "drop"):
            raise LoaderError('cache is "auto", "keep" or "drop"')
        if layout not in ("HWC", "CHW"):
            raise LoaderError('layout is "HWC" or "CHW"')
        if processes < 0:
            raise LoaderError(f"processes must be 0 or more, not {processes}")
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise LoaderError(f"seed is a whole number, not {seed!r}")
        if processes and map is None and _source.is_path(source):
            raise LoaderError("processes are for a map or a dataset; files are read by threads")
        self._pid = os.getpid()
        self._batch = int(batch)
        self._seed = int(seed) & (1 << 63) - 1
        self._drop_last = bool(drop_last)
        self._budget = in_bytes(budget)
        self._epoch = 0
        self._position = 0
        self._begin = 0
        self._turn = 0
        self._ended = -1
        self._lock = threading.Lock()
        self._rank, self._ranks = _rank(rank, ranks)
        self._torch = wants_torch(as_)
        self._device: Any = None
        mapped = None if map is None else Mapped(map, self._seed)
        picture = {
            "size": _pair(size),
            "crop": crop,
            "shorter": int(resize),
            "flip": bool(flip),
            "mean": _numbers(mean),
            "std": _numbers(std),
            "number": _number(dtype),
            "planes": layout == "CHW",
            "channels": int(channels),
            "fast": bool(fast),
        }
        self._options = {
            "budget": self._budget,
            "batch": self._batch,
            "seed": self._seed,
            "torch": self._torch,
            "bad": bad,
            "drop_last": self._drop_last,
            "cache": ("drop" if _limited() else "keep") if cache == "auto" else cache,
            "workers": _threads(threads),
            "shared": processes > 0,
            "processes": processes,
        }
        asked = {
            "dtype": dtype,
            "shape": shape,
            "offset": offset,
            "columns": columns,
            "header": header,
            "separator": separator,
        }
        plan = _source.plan(source, asked)
        if index is not None:
            if plan is None or "patterns" not in plan:
                raise LoaderError("index= needs a folder or a pattern of images")
            plan["index"] = os.fspath(index)
            # Absolute, so that the index belongs to the folder wherever the program was started.
            for pattern in plan["patterns"]:
                pattern["root"] = str(Path(pattern["root"]).absolute())
        if plan is not None:
            self._feed = self._of_files(plan, mapped, labels, picture, dtype, largest, columns)
        else:
            self._feed = self._of_objects(source, mapped, labels, columns, shuffle)
        if self._feed.count is None:
            if shuffle:
                self._feed.close()
                raise LoaderError(
                    "an iterator cannot be shuffled: its order is its own; give something with "
                    "__getitem__ and __len__, or shuffle=False"
                )
            shuffle = False
        self._shuffle = True if shuffle is None else bool(shuffle)
        facts = self._feed.core.describe()
        self.smallest_budget: int = facts["smallest_budget"]
        self.classes: list[str] = facts.get("classes", [])
        self._closed = False
        if device is not None:
            from holdfast.loader._device import Device

            self._device = Device(device, self._feed, facts, self._budget)

    def _core(self, plan: dict[str, Any], inside: Core | None = None) -> Core:
        chosen = {
            key: value for key, value in {**self._options, **plan}.items() if value is not None
        }
        try:
            return Core(chosen, inside)
        except LoaderError as error:
            raise LoaderError(str(error)) from None

    def _of_files(
        self,
        plan: dict[str, Any],
        mapped: Mapped | None,
        labels: Any,
        picture: dict[str, Any],
        dtype: Any,
        largest: Any,
        columns: Any,
    ) -> Any:
        if plan["kind"] == "shards" and columns is not None:
            plan["kind"] = "members"
        kind = plan["kind"]
        decode = {"text": "text", "json": "columns"}.get(kind)
        if plan.pop("objects", False):
            decode = "json"
        plan["dtype"] = None if dtype is None else str(np.dtype(dtype)) if kind == "csv" else None
        if kind in ("images", "shards"):
            plan["picture"] = {key: value for key, value in picture.items() if value is not None}
            plan["labelled"] = isinstance(labels, str) and labels == "folder"
            as_it_is = mapped is not None and picture["size"] is None
            plan["as_they_are"] = as_it_is
            plan["largest"] = None if largest is None else in_bytes(largest)
            decode = "image" if as_it_is else None
        elif kind == "csv" and labels is not None:
            plan["labels"], labels = str(labels), None
        elif kind == "records" and labels is not None and _source.is_path(labels):
            plan["arrays"].append({"paths": [os.fspath(labels)]})
            labels = None
        own_labels = labels is not None and not plan.get("labelled", False)
        if own_labels and kind not in ("images", "shards"):
            raise LoaderError(f"labels= of this form are for images, not for {kind}")
        if mapped is None:
            core = self._core(plan)
            skip = self._options["bad"] == "skip"
            return self._opened(
                core, plan, own_labels, labels, lambda: CoreFeed(core, self._torch, decode, skip)
            )
        # The program's own batches and the data read for them share one arena.
        outer = self._core({"kind": "own", "count": 0})
        try:
            unit = 1 if kind in ("images", "shards", "text", "members") else self._batch
            inner = self._core({**plan, "budget": self._budget // 2, "batch": unit}, outer)
            return self._opened(
                inner, plan, own_labels, labels, lambda: self._mapped(outer, inner, mapped, decode)
            )
        except BaseException:
            outer.close()
            raise

    def _opened(
        self,
        core: Core,
        plan: dict[str, Any],
        own_labels: bool,
        labels: Any,
        make: Callable[[], Any],
    ) -> Any:
        try:
            written = core.describe()["index"] if "index" in plan else ""
            if written.startswith("not written"):
                warnings.warn(
                    f"the index was {written}; the folder will be listed again next time",
                    RuntimeWarning,
                    stacklevel=4,
                )
            if own_labels:
                count = core.describe()["count"]
                core.labels(_source.label_rows(labels, count, core.name))
            core.prepare()
            return make()
        except BaseException as error:
            core.close()
            if (
                isinstance(error, LoaderError)
                and plan["kind"] == "shards"
                and "no JPEG" in str(error)
            ):
                raise LoaderError(f"{error}; for other files in shards, give columns=()") from None
            raise

    def _mapped(self, outer: Core, inner: Core, mapped: Mapped, decode: str | None) -> Any:
        facts = inner.describe()
        fields = facts["fields"]
        labelled = bool(facts["label"]) or (len(fields) > 1 and fields[-1]["name"] == "label")
        maker = MappedMaker(inner, mapped, decode, labelled)
        return OwnFeed(outer, maker, self._options)

    def _of_objects(
        self, source: Any, mapped: Mapped | None, labels: Any, columns: Any, shuffle: bool | None
    ) -> Any:
        from holdfast.loader import _blocks, _streams

        if _streams.is_stream(source):
            if mapped is not None:
                raise LoaderError("map= is for single samples; change these batches in your loop")
            core = self._core({"kind": "own", "count": 0})
            return self._made(
                core, lambda: _streams.StreamFeed(core, source, columns, labels, self._options)
            )
        blocks = _blocks.blocks_of(source, columns, labels)
        if blocks is None and labels is not None:
            raise LoaderError("labels= is for files; a dataset brings its own labels")
        if blocks is not None:
            if mapped is not None:
                raise LoaderError("map= is for single samples; change these batches in your loop")
            core = self._core({"kind": "own", "count": blocks.count})
            return self._made(core, lambda: _blocks.BlockFeed(core, blocks, self._options))
        if hasattr(source, "__getitem__") and hasattr(source, "__len__"):
            if isinstance(source, (str, bytes, dict)):
                raise LoaderError(f"a {type(source).__name__} is not a set of samples")
            indexed = Indexed(source, mapped)
            core = self._core({"kind": "own", "count": indexed.count})
            if self._options["processes"]:
                from holdfast.loader._workers import ProcessFeed

                return self._made(core, lambda: ProcessFeed(core, indexed, self._options))
            return self._made(core, lambda: OwnFeed(core, IndexedMaker(indexed), self._options))
        if hasattr(source, "__iter__"):
            core = self._core({"kind": "own", "count": 0})
            return self._made(core, lambda: IteratorFeed(core, source, mapped, self._options))
        raise LoaderError(f"samples cannot be read from a {type(source).__name__}")

    @staticmethod
    def _made(core: Core, make: Callable[[], Any]) -> Any:
        try:
            return make()
        except BaseException:
            core.close()
            raise

    def _pass(self, position: int) -> Pass:
        return Pass(
            seed=self._seed,
            epoch=self._epoch,
            position=position,
            rank=self._rank,
            ranks=self._ranks,
            batch=self._batch,
            shuffled=self._shuffle,
            whole_batches=self._drop_last,
        )

    def _check(self) -> None:
        if self._closed:
            raise LoaderError("the Loader is closed")
        fork_guard(self._pid)

    def __iter__(self) -> Iterator[Any]:
        """A pass from the beginning, or from a loaded state; ends the previous pass."""
        self._check()
        with self._lock:
            self._turn += 1
            self._position, self._begin = self._begin, 0
            self._feed.start(self._pass(self._position))
            return _Batches(self, self._turn)

    def _next(self, turn: int) -> Any:
        self._check()
        with self._lock:
            if turn == self._ended:
                raise StopIteration
            if turn != self._turn:
                raise LoaderError("another iteration of this Loader has begun since")
            if self._device is not None:
                self._device.collect()
            found = self._feed.next()
            if found is None:
                self._ended = turn
                self._epoch += 1
                self._position = 0
                raise StopIteration
            batch, self._position = found
        return batch if self._device is None else self._device.moved(batch)

    def __len__(self) -> int:
        """Batches of a whole pass, of this rank."""
        self._check()
        if self._feed.count is None:
            raise TypeError("an iterator has no length")
        return int(self._feed.core.steps(self._pass(0)))

    @property
    def samples(self) -> int | None:
        """How many samples there are, for all ranks; None: an iterator does not say."""
        count: int | None = self._feed.count
        return count

    @property
    def epoch(self) -> int:
        """The pass that runs, or comes next. A pass that is read to its end increments it."""
        return self._epoch

    def set_epoch(self, epoch: int) -> None:
        """Gives the next pass the order and the random numbers of this epoch."""
        self._epoch = int(epoch)
        self._begin = 0

    def state_dict(self) -> dict[str, Any]:
        """The position of the program: enough to resume from here, with any number of ranks."""
        self._check()
        return {
            "version": _STATE,
            "seed": self._seed,
            "epoch": self._epoch,
            "position": self._position,
            "samples": self._feed.count,
            "fingerprint": self._feed.fingerprint,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Makes the next pass resume from this state."""
        self._check()
        if state.get("version") != _STATE:
            raise LoaderError(f"the state has version {state.get('version')}; this reads {_STATE}")
        if state["fingerprint"] != self._feed.fingerprint or state["samples"] != self._feed.count:
            raise LoaderError(
                f"the state is of other data: {state['samples']} samples there, "
                f"{self._feed.count} here; names or sizes of the files differ"
            )
        self._seed = state["seed"]
        self._epoch = state["epoch"]
        self._begin = self._position = state["position"]

    def stats(self) -> dict[str, Any]:
        """Bytes held, samples given, seconds that the program or the workers waited."""
        self._check()
        stats: dict[str, Any] = self._feed.stats()
        stats["bytes_held"] = (
            stats["fixed"] + (stats["held"] + stats["filled"]) * stats["slot_bytes"]
        )
        return stats

    def name(self, sample: int) -> str:
        """A sample's name: its file, or its line."""
        self._check()
        name: str = self._feed.name(sample)
        return name

    def close(self) -> None:
        """Ends the workers. Batches that the program still holds stay valid."""
        if not self._closed and os.getpid() == self._pid:
            self._closed = True
            self._turn += 1
            if self._device is not None:
                self._device.close()
            self._feed.close()

    def __enter__(self) -> Loader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if not getattr(self, "_closed", True):
            self.close()

    def __reduce__(self) -> Any:
        raise TypeError(
            "a Loader cannot be pickled: its memory belongs to this process. Pickle state_dict(), "
            "and make the Loader where it is used (DataLoader: num_workers=0)"
        )

    def __repr__(self) -> str:
        if self._closed:
            return "<holdfast.Loader, closed>"
        count = "an iterator" if self.samples is None else f"{self.samples} samples"
        return f"<holdfast.Loader of {count}, batches of {self._batch}, {human(self._budget)}>"

    def torch(self) -> Any:
        """For ``DataLoader(loader.torch(), batch_size=None)``, and all that needs torch's class."""
        from holdfast.loader._adapters import torch_dataset

        return torch_dataset(self)

    def keras(self) -> Any:
        """For ``model.fit(loader.keras())``."""
        from holdfast.loader._adapters import keras_dataset

        return keras_dataset(self)

    @classmethod
    def like(cls, dataloader: Any, budget: Any = "512MiB", **options: Any) -> Loader:
        """A Loader with the batches of a torch DataLoader, of an ImageFolder or any dataset."""
        from holdfast.loader._adapters import arguments_of

        source, found = arguments_of(dataloader)
        return cls(source, budget, **{**found, **options})


class _Batches:
    """One pass."""

    def __init__(self, loader: Loader, turn: int):
        self._loader = loader
        self._turn = turn

    def __iter__(self) -> _Batches:
        return self

    def __next__(self) -> Any:
        return self._loader._next(self._turn)

    def __length_hint__(self) -> int:
        try:
            return len(self._loader)
        except TypeError:
            return 0


def _rank(rank: int | None, ranks: int | None) -> tuple[int, int]:
    if (rank is None) != (ranks is None):
        raise LoaderError("give rank= and ranks= together")
    if rank is None or ranks is None:
        distributed = getattr(sys.modules.get("torch"), "distributed", None)
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank(), distributed.get_world_size()
        try:
            rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
        except (KeyError, ValueError):
            return 0, 1
    if not 0 <= rank < ranks:
        raise LoaderError(f"rank {rank} of {ranks} is not possible")
    return rank, ranks


def _threads(threads: int | None) -> int:
    if threads is not None:
        if threads < 1:
            raise LoaderError("threads must be 1 or more")
        return threads
    return max(1, min(len(os.sched_getaffinity(0)), 16))


def _pair(size: Any) -> list[int] | None:
    if size is None:
        return None
    if isinstance(size, (int, np.integer)):
        return [int(size), int(size)]
    if len(size) != 2:
        raise LoaderError("size is one number of pixels, or (height, width)")
    return [int(size[0]), int(size[1])]


def _number(dtype: Any) -> str | None:
    if dtype is None or (isinstance(dtype, str) and dtype == "bfloat16"):
        return dtype
    try:
        return str(np.dtype(dtype))
    except TypeError:
        raise LoaderError(f"there is no dtype {dtype!r}") from None


def _numbers(values: Any) -> list[float] | None:
    if values is None:
        return None
    return [float(value) for value in np.atleast_1d(values)]


def _limited() -> bool:
    """Whether a container counts our page cache against a limit."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return False
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        root = "/sys/fs/cgroup/memory" if controllers else "/sys/fs/cgroup"
        name = "memory.limit_in_bytes" if controllers else "memory.max"
        for folder in (Path(root + path), Path(root)):
            try:
                if int((folder / name).read_text()) < 1 << 60:
                    return True
            except (OSError, ValueError):
                continue
    return False
