"""Data under a hard memory budget: ``holdfast.Loader``."""

from holdfast.loader._library import BudgetHeld, LoaderError, SampleError, WorkerDied
from holdfast.loader._loader import Loader

__all__ = ["BudgetHeld", "Loader", "LoaderError", "SampleError", "WorkerDied"]
