"""The Loader in the forms that frameworks ask for, and a Loader in place of a DataLoader."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from holdfast.loader._library import LoaderError


def torch_dataset(loader: Any) -> Any:
    """An IterableDataset whose items are batches."""
    import torch.utils.data as data

    class Batches(data.IterableDataset):  # type: ignore[misc, unused-ignore]
        """Batches of a Loader, for DataLoader(..., batch_size=None)."""

        def __iter__(self) -> Any:
            if data.get_worker_info() is not None:
                raise LoaderError(
                    "a Loader reads with threads of its own; give the DataLoader num_workers=0"
                )
            return iter(loader)

        def __len__(self) -> int:
            return len(loader)

        def set_epoch(self, epoch: int) -> None:
            loader.set_epoch(epoch)

        def state_dict(self) -> Any:
            return loader.state_dict()

        def load_state_dict(self, state: Any) -> None:
            loader.load_state_dict(state)

    return Batches()


def keras_dataset(loader: Any) -> Any:
    """A PyDataset (Keras 3) or a Sequence (Keras 2) that gives the batches one after the other."""
    keras: Any = sys.modules.get("keras") or sys.modules.get("tf_keras")
    if keras is None:
        import importlib

        keras = importlib.import_module("keras")
    base = getattr(keras.utils, "PyDataset", None)
    newer = base is not None
    if base is None:
        base = keras.utils.Sequence

    class Batches(base):  # type: ignore[misc, valid-type, unused-ignore]
        """Returns the next batch, whatever its number: the Loader has shuffled already."""

        def __init__(self) -> None:
            if newer:
                super().__init__()
            self._batches = iter(loader)

        def __len__(self) -> int:
            return len(loader)

        def __getitem__(self, index: int) -> Any:
            batch = next(self._batches, None)
            if batch is None:
                self._batches = iter(loader)
                batch = next(self._batches)
            # Keras may keep several in its own queue: that memory is not in the budget.
            return _copied(batch)

        def on_epoch_begin(self) -> None:
            self._batches = iter(loader)

        def on_epoch_end(self) -> None:
            if loader.state_dict()["position"] != 0:  # Keras stopped before the end
                loader.set_epoch(loader.epoch + 1)
            self._batches = iter(loader)

    return Batches()


def _copied(batch: Any) -> Any:
    if isinstance(batch, (tuple, list)):
        return tuple(_copied(one) for one in batch)
    if isinstance(batch, dict):
        return {key: _copied(one) for key, one in batch.items()}
    if isinstance(batch, np.ndarray):
        return batch.copy()
    return batch.clone() if hasattr(batch, "clone") else batch


class _Transformed:
    """An image as torchvision's transforms want it."""

    def __init__(self, transform: Any):
        self._transform = transform

    def __call__(self, image: Any) -> Any:
        from PIL import Image

        return self._transform(Image.fromarray(image))


def arguments_of(dataloader: Any) -> tuple[Any, dict[str, Any]]:
    """Source and options of a Loader that stands in for a DataLoader."""
    if dataloader.batch_size is None:
        raise LoaderError(
            "this DataLoader does not make batches itself, so a Loader cannot replace it"
        )
    dataset = dataloader.dataset
    sampler = type(dataloader.sampler).__name__
    if sampler not in ("RandomSampler", "SequentialSampler", "DistributedSampler"):
        raise LoaderError(f"a Loader cannot take over the order of a {sampler}")
    options: dict[str, Any] = {
        "batch": dataloader.batch_size,
        "shuffle": sampler == "RandomSampler"
        or bool(getattr(dataloader.sampler, "shuffle", False)),
        "drop_last": dataloader.drop_last,
        "as_": "torch",
    }
    samples = getattr(dataset, "samples", None)
    if samples and hasattr(dataset, "classes") and hasattr(dataset, "loader"):
        if getattr(dataset, "target_transform", None) is not None:
            raise LoaderError("a Loader cannot take over a target_transform; give labels= instead")
        options["labels"] = np.asarray([label for _, label in samples], np.int64)
        if dataset.transform is not None:
            options["map"] = _Transformed(dataset.transform)
        return [path for path, _ in samples], options
    if not hasattr(dataset, "__len__"):
        raise LoaderError("a dataset without a length is an iterator; give it to Loader itself")
    if dataloader.collate_fn.__name__ != "default_collate":
        raise LoaderError("a Loader cannot take over your collate_fn; do its work in map=")
    return dataset, options
