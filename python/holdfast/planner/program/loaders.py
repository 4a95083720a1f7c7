"""The DataLoaders of a captured program: their batch size, and what they are made of.

They run in the capturing process, without workers. A loader's batch size is changed when it is
made. If its data is too short for full batches, it is repeated, because a batch that the dataset
cannot fill would be planned too small.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.data import (
    DataLoader,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    default_collate,
)
from torch.utils.data._utils.fetch import _MapDatasetFetcher
from torch.utils.data.dataloader import _BaseDataLoaderIter

from holdfast.planner.program.held import held_by

_POSITIONAL = (
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
)
# Only workers use these options, and the capture has none.
_OF_WORKERS = ("prefetch_factor", "persistent_workers", "timeout", "multiprocessing_context")
_FULL_BATCHES = 64  # two steps, accumulated over up to 32 batches each
_DISTINCT = 256  # samples of a large batch that are really made
_FETCH = _MapDatasetFetcher.fetch


class _Again(Sampler[Any]):
    """Another sampler's indices, repeated until there are enough."""

    def __init__(self, sampler: Any, length: int) -> None:
        self.sampler = sampler
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Any]:
        def endless() -> Iterator[Any]:
            while True:
                yield from self.sampler

        return islice(endless(), self.length)


class Loaders:
    """What is known of the loaders."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted  # 0: as the program has it
        self.batch_size: int | None = None  # the first loader's own
        self._asked: dict[int, dict[str, Any]] = {}  # by dataset: the first loader's options
        self._datasets: dict[int, Any] = {}
        self._delivered: tuple[int, list[int]] | None = None  # dataset, bytes of each tensor

    @property
    def batch(self) -> int | None:
        """The planned batch size; None if no loader has one."""
        if self.batch_size is None:
            return None
        return self.wanted or self.batch_size

    def made(self, dataset: Any, options: dict[str, Any]) -> dict[str, Any]:
        """The options that a loader gets instead of the requested ones."""
        size = options.get("batch_size", 1)
        self._datasets.setdefault(id(dataset), dataset)
        self._asked.setdefault(id(dataset), dict(options))  # wrappers make loaders out of loaders
        for name in _OF_WORKERS:
            options.pop(name, None)
        options.update(num_workers=0, pin_memory=False)
        if options.get("batch_sampler") is not None or size is None:
            return options
        if self.batch_size is None:
            self.batch_size = size
        if self.wanted and size == self.batch_size:
            options["batch_size"] = size = self.wanted
        if not isinstance(dataset, IterableDataset) and hasattr(dataset, "__len__"):
            sampler = options.get("sampler")
            if sampler is None:
                shuffled = options.get("shuffle", False)
                sampler = (RandomSampler if shuffled else SequentialSampler)(dataset)
            if hasattr(sampler, "__len__") and 0 < len(sampler) < size * _FULL_BATCHES:
                options.update(sampler=_Again(sampler, size * _FULL_BATCHES), shuffle=False)
        return options

    def delivered(self, dataset: Any, batch: Any) -> None:
        """A loader gave a batch; the last one to do so before a step is the one that trains."""
        tensors = [leaf for leaf in tree_leaves(batch) if isinstance(leaf, torch.Tensor)]
        sizes = [tensor.numel() * tensor.element_size() for tensor in tensors]
        self._delivered = (id(dataset), sizes)

    def host(self) -> dict[str, Any] | None:
        """The facts that decide the host's memory; None if no loader was used."""
        if self._delivered is None or self._delivered[0] not in self._asked:
            return None
        dataset, sizes = self._delivered
        asked = self._asked[dataset]
        workers = int(asked.get("num_workers") or 0)
        held = held_by(list(self._datasets.values()))
        return {
            "arrays_bytes": held.arrays,
            "objects_bytes": held.objects,
            "batch_tensors_bytes": sizes,
            "workers": workers,
            "prefetch": int(asked.get("prefetch_factor") or 2) if workers else 0,
            "pinned": bool(asked.get("pin_memory")),
        }


def _shapes(sample: Any) -> list[Any]:
    return [
        (tuple(leaf.shape), leaf.dtype) if hasattr(leaf, "shape") else type(leaf)
        for leaf in tree_leaves(sample)
    ]


def _fetch(self: Any, indices: Any) -> Any:
    """A map-style dataset's batch. Samples of one shape are repeated instead of made."""
    if not self.auto_collation or len(indices) <= _DISTINCT:
        return _FETCH(self, indices)
    few = [self.dataset[index] for index in indices[:_DISTINCT]]
    shapes = _shapes(few[0])
    if any(_shapes(sample) != shapes for sample in few[1:]):
        return _FETCH(self, indices)  # the longest sample decides, and it may be any of them
    whole, rest = divmod(len(indices), _DISTINCT)
    if self.collate_fn is default_collate:
        stacked = self.collate_fn(few)
        if all(isinstance(leaf, torch.Tensor) for leaf in tree_leaves(stacked)):
            return tree_map(lambda leaf: torch.cat([leaf] * whole + [leaf[:rest]]), stacked)
    return self.collate_fn(few * whole + few[:rest])


@contextmanager
def watched(wanted: int = 0) -> Iterator[Loaders]:
    """Inside, loaders are made as described in Loaders."""
    seen = Loaders(wanted)
    original = DataLoader.__init__

    def made(self: Any, dataset: Any, *args: Any, **kwargs: Any) -> None:
        kwargs.update(zip(_POSITIONAL, args, strict=False))
        rest = args[len(_POSITIONAL) :]
        if rest:
            kwargs.update(zip(("timeout", "worker_init_fn"), rest, strict=False))
        original(self, dataset, **seen.made(dataset, kwargs))

    DataLoader.__init__ = made  # type: ignore[method-assign,assignment]
    _MapDatasetFetcher.fetch = _fetch  # type: ignore[method-assign]
    following = _BaseDataLoaderIter.__next__

    def delivered(self: Any) -> Any:
        batch = following(self)
        seen.delivered(self._dataset, batch)
        return batch

    _BaseDataLoaderIter.__next__ = delivered  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        _BaseDataLoaderIter.__next__ = following  # type: ignore[method-assign]
        _MapDatasetFetcher.fetch = _FETCH  # type: ignore[method-assign]
        DataLoader.__init__ = original  # type: ignore[method-assign]
