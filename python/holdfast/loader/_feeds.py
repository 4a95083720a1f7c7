"""Where batches come from: the library alone, samples made in Python, or an iterator."""

from __future__ import annotations

import itertools
import json
from functools import partial
from typing import Any, Iterator

from holdfast._numbers import CLOSED, END, HELD, READY
from holdfast._size import human
from holdfast.loader._arrays import Slot, extents, picture, piece, tensor, view
from holdfast.loader._library import (
    BatchFacts,
    BudgetHeld,
    Core,
    LoaderError,
    Pass,
    SampleError,
)
from holdfast.loader._samples import Mapped, SampleLayout, leaves


def checked(answer: int, core: Core) -> bool:
    """True: a batch is there; False: the pass is over."""
    if answer == HELD:
        facts = core.describe()
        raise BudgetHeld(
            f"the program holds all {facts['slots']} batches that fit into the budget "
            f"({human(facts['slot_bytes'])} each): release some (del, or copy what you keep), "
            f"or give a larger budget"
        )
    if answer == CLOSED:
        raise LoaderError("the Loader is closed")
    return answer == READY


class CoreFeed:
    """Batches that the library makes by itself."""

    def __init__(self, core: Core, torch: bool, decode: str | None, skip: bool = False):
        self.core = core
        self._skip = skip
        self._skipped: list[str] = []
        self.facts = core.describe()
        self.count: int | None = self.facts["count"]
        self.fingerprint: str = self.facts["fingerprint"]
        self._torch = torch
        self._decode = decode

    def name(self, index: int) -> str:
        return self.core.name(index)

    def start(self, a_pass: Pass) -> None:
        self.core.start(a_pass)

    def next(self) -> tuple[Any, int] | None:
        """A batch and the position after it; None at the end."""
        while True:
            facts = BatchFacts()
            if not checked(self.core.next(facts), self.core):
                return None
            batch = self.arrays(Slot(self.core, facts))
            bad = [one for one in batch if isinstance(one, SampleError)] if self._objects else []
            if not bad:
                return batch, facts.position
            if not self._skip:
                raise bad[0]
            self._skipped += map(str, bad)
            batch = [one for one in batch if not isinstance(one, SampleError)]
            if batch:
                return batch, facts.position

    @property
    def _objects(self) -> bool:
        return bool(self.facts["ragged"]) and self._decode != "image"

    def arrays(self, slot: Slot) -> Any:
        """What a slot holds; lists of Python objects have a ``SampleError`` for each bad one."""
        if self._objects:
            return [
                self._object(slot, row, at, length)
                for row, (at, length) in enumerate(extents(slot))
            ]
        if self.facts["ragged"]:
            return [picture(slot, at, self.facts["label"]) for at, _ in extents(slot)]
        made = []
        for field in self.facts["fields"]:
            array = view(slot, field["offset"], (slot.rows, *field["shape"]), field["dtype"])
            made.append(tensor(array, field["dtype"]) if self._torch else array)
        if self._decode == "columns":
            return {field["name"]: array for field, array in zip(self.facts["fields"], made)}
        return made[0] if len(made) == 1 else tuple(made)

    def _object(self, slot: Slot, row: int, at: int, length: int) -> Any:
        try:
            return _decoded(slot, at, length, self._decode)
        except ValueError as error:
            return SampleError(f"{self.name(slot.samples()[row])}: {error}")

    def stats(self) -> dict[str, Any]:
        stats = self.core.stats()
        return own_stats(self.core, stats["samples"] - len(self._skipped), self._skipped)

    def close(self) -> None:
        self.core.close()


def _decoded(slot: Slot, offset: int, length: int, decode: str | None) -> Any:
    data = piece(slot, offset, length)
    if decode == "text":
        return data.decode("utf-8", "replace")
    if decode == "json":
        try:
            return json.loads(data)
        except ValueError as error:
            raise ValueError(f"this line is not JSON: {error}") from None
    return members(data)


def members(data: bytes) -> dict[str, Any]:
    """The files of one sample of a shard, by their endings, and its ``__key__``."""
    found: dict[str, Any] = {}
    at = 0
    long_name = ""
    while at + 512 <= len(data):
        head = data[at : at + 512]
        size_field = head[124:136]
        if size_field[0] & 0x80:
            size = int.from_bytes(bytes([size_field[0] & 0x7F]) + size_field[1:], "big")
        else:
            size = int(size_field.rstrip(b"\0 ") or b"0", 8)
        body = data[at + 512 : at + 512 + size]
        kind = head[156:157]
        if kind == b"L":
            long_name = body.rstrip(b"\0").decode("utf-8", "replace")
        elif kind in (b"0", b"\0", b"7"):
            name = long_name or head[:100].split(b"\0")[0].decode("utf-8", "replace")
            long_name = ""
            folder, slash, base = name.rpartition("/")
            key, _, ending = base.partition(".")
            found.setdefault("__key__", folder + slash + key)
            found[ending.lower()] = body
        at += 512 + -(-size // 512) * 512
    return found


class OwnFeed:
    """Batches of samples that Python makes in this process, one after the other."""

    def __init__(self, core: Core, maker: Any, options: dict[str, Any]):
        self.core = core
        self._maker = maker
        self._batch: int = options["batch"]
        self._torch: bool = options["torch"]
        self._skip: bool = options["bad"] == "skip"
        self.count: int | None = maker.count
        self.fingerprint: str = maker.fingerprint
        self._skipped: list[str] = []
        self._seen = 0
        first = maker.first(options["seed"])
        self.layout = SampleLayout(first, self._batch)
        core.prepare(slot_bytes=self.layout.bytes, count=maker.count)
        self._pass = Pass()
        self._position = 0

    def name(self, index: int) -> str:
        name: str = self._maker.name(index)
        return name

    def start(self, a_pass: Pass) -> None:
        self._pass = a_pass
        self._position = a_pass.position
        self._maker.start(a_pass)

    def next(self) -> tuple[Any, int] | None:
        while True:
            samples, after = self.core.share(self._pass, self._position, self._batch)
            if not samples:
                return None
            slot = take(self.core, len(samples))
            into = places(slot, self.layout, len(samples))
            rows = 0
            for index in samples:
                try:
                    sample = self._maker.get(index, self._pass.epoch)
                    self.layout.put(sample, rows, into, partial(self.name, index))
                except SampleError as error:
                    if not self._skip:
                        raise
                    self._skipped.append(str(error))
                    continue
                rows += 1
            self._position = after
            self._seen += rows
            if rows:
                return finished(into, rows, self.layout, self._torch), after

    def stats(self) -> dict[str, Any]:
        return own_stats(self.core, self._seen, self._skipped)

    def close(self) -> None:
        self._maker.close()
        self.core.close()


def own_stats(core: Core, seen: int, skipped: list[str]) -> dict[str, Any]:
    """The library's figures, with those of samples that Python made."""
    stats = core.stats()
    stats["samples"] = seen
    stats["skipped"] += len(skipped)
    stats["skipped_names"] += skipped[:16]
    return stats


def take(core: Core, rows: int) -> Slot:
    """A slot to write to; an error if the program itself holds all of them."""
    facts = BatchFacts()
    checked(core.take(facts), core)
    facts.rows = rows
    return Slot(core, facts)


def places(slot: Slot, layout: SampleLayout, rows: int) -> list[Any]:
    """The arrays of a batch, to be filled; a list for values that are not numbers."""
    return [
        [None] * rows if field is None else view(slot, field[0], (rows, *field[1]), field[2].str)
        for field in layout.fields
    ]


def finished(into: list[Any], rows: int, layout: SampleLayout, torch: bool) -> Any:
    """A filled batch in the form of its samples."""
    made = [value[:rows] for value in into]
    return layout.form([tensor(value) for value in made] if torch else made)


class IndexedMaker:
    """Samples of a dataset with ``__getitem__``."""

    def __init__(self, indexed: Any):
        self._indexed = indexed
        self.count = indexed.count
        self.fingerprint = indexed.fingerprint
        self.name = indexed.name
        self.get = indexed.get

    def first(self, seed: int) -> Any:
        return self._indexed.get(0, 0)

    def start(self, a_pass: Pass) -> None:
        """Nothing is prepared ahead."""

    def close(self) -> None:
        """Nothing is open."""


class MappedMaker:
    """Samples that the library reads, one after the other, and the user's function changes."""

    def __init__(self, core: Core, mapped: Mapped, decode: str | None, labelled: bool):
        self._core = core
        self._feed = CoreFeed(core, torch=False, decode=decode)
        self.count = self._feed.count
        self.fingerprint = self._feed.fingerprint
        self.name = core.name
        self._mapped = mapped
        self._labelled = labelled
        self._rows: Iterator[tuple[int, Any]] = iter(())

    def first(self, seed: int) -> Any:
        self.start(Pass(seed=seed, ranks=1, batch=1))
        error = SampleError("there is no sample")
        for index, sample in self._rows:
            if not isinstance(sample, SampleError):
                return self.changed(sample, index, 0)
            error = sample
        raise error

    def start(self, a_pass: Pass) -> None:
        self._core.start(a_pass)
        self._rows = self._read()

    def _read(self) -> Iterator[tuple[int, Any]]:
        while True:
            facts = BatchFacts()
            answer = self._core.next(facts)
            if answer == END:
                return
            checked(answer, self._core)
            slot = Slot(self._core, facts)
            samples = slot.samples()
            batch = self._feed.arrays(slot)
            del slot
            for row, index in enumerate(samples):
                if isinstance(batch, dict):
                    yield index, {key: value[row] for key, value in batch.items()}
                elif isinstance(batch, tuple):
                    yield index, tuple(value[row] for value in batch)
                else:
                    yield index, batch[row]
            del batch

    def get(self, index: int, epoch: int) -> Any:
        """The next sample; if some were skipped, the requested one."""
        for read, sample in self._rows:
            if read == index:
                if isinstance(sample, SampleError):
                    raise sample
                return self.changed(sample, index, epoch)
        raise SampleError(f"{self.name(index)}: skipped")

    def changed(self, sample: Any, index: int, epoch: int) -> Any:
        """The result of the user's function; the label is passed on unchanged."""
        if self._labelled and isinstance(sample, tuple):
            values = leaves(self._mapped(sample[0], epoch, index, lambda: self.name(index)))
            return (*values, *sample[1:])
        return self._mapped(sample, epoch, index, lambda: self.name(index))

    def close(self) -> None:
        self._rows = iter(())
        self._core.close()


class IteratorFeed:
    """Batches from an iterator, in its own order; resuming skips what was read before."""

    def __init__(self, core: Core, source: Any, mapped: Mapped | None, options: dict[str, Any]):
        self.core = core
        self._source = source
        self._mapped = mapped
        self._batch: int = options["batch"]
        self._torch: bool = options["torch"]
        self._drop: bool = options["drop_last"]
        self.count: int | None = None
        self.fingerprint = f"iterator:{type(source).__qualname__}"
        self._position = 0
        self._seen = 0
        self._epoch = 0
        self._once = iter(source) is source
        self._samples: Iterator[Any] = iter(source)
        first = next(self._samples, None)
        if first is None:
            raise LoaderError("the iterator gives no samples")
        self._begun = True
        self._samples = itertools.chain([first], self._samples)
        first = self._changed(first, 0)
        self.layout = SampleLayout(first, self._batch)
        core.prepare(slot_bytes=self.layout.bytes)

    def name(self, index: int) -> str:
        return f"sample {index} of the iterator"

    def _changed(self, sample: Any, index: int) -> Any:
        if self._mapped is None:
            return sample
        return self._mapped(sample, self._epoch, index, lambda: self.name(index))

    def start(self, a_pass: Pass) -> None:
        if not self._begun:
            if self._once:
                raise LoaderError("the iterator is used up; give something that can be read again")
            self._samples = iter(self._source)
        self._begun = False
        self._epoch = a_pass.epoch
        self._position = a_pass.position
        for _ in itertools.islice(self._samples, a_pass.position):
            pass

    def next(self) -> tuple[Any, int] | None:
        raw = list(itertools.islice(self._samples, self._batch))
        if not raw or (self._drop and len(raw) < self._batch):
            return None
        slot = take(self.core, len(raw))
        into = places(slot, self.layout, len(raw))
        for row, sample in enumerate(raw):
            index = self._position + row
            made = self._changed(sample, index)
            self.layout.put(made, row, into, partial(self.name, index))
        self._position += len(raw)
        self._seen += len(raw)
        return finished(into, len(raw), self.layout, self._torch), self._position

    def stats(self) -> dict[str, Any]:
        return own_stats(self.core, self._seen, [])

    def close(self) -> None:
        self._samples = iter(())
        self.core.close()
