"""The cases, by the library that speaks."""

from __future__ import annotations  # some are made with Python 3.7

import ctypes
import importlib
import os
import pkgutil
import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

try:
    from importlib import metadata
except ImportError:  # Python 3.7
    import importlib_metadata as metadata


def parsed(version: str) -> tuple[int, ...]:
    """ "2.4.6" as numbers; what is no number counts as none."""
    return tuple(int(part) for part in version.split("+")[0].split(".")[:2] if part.isdigit())


@dataclass(frozen=True)
class Case:
    """Something that makes a library speak."""

    library: str
    provoke: Callable[[], object]
    modules: tuple[str, ...]
    below: str  # the first version that no longer says it; empty for all
    needs: str  # a variable of the environment that it needs; may be empty

    @property
    def name(self) -> str:
        """Of the case and of its file."""
        return self.provoke.__name__

    @property
    def how(self) -> str:
        """What was done, as the case's first line says it."""
        return (self.provoke.__doc__ or "see its case").strip().splitlines()[0].rstrip(".")

    @property
    def wants(self) -> tuple[str, str]:
        """What it cannot do without."""
        return self.library, self.needs

    def version(self) -> str:
        """Of the library; empty where it is not installed."""
        if self.library in OWN_VERSION:
            return OWN_VERSION[self.library]()
        try:
            return metadata.version(self.library)
        except metadata.PackageNotFoundError:
            return ""

    def here(self) -> bool:
        """Whether the library that is installed is one that says it."""
        version = self.version()
        if not version or (self.needs and self.needs not in os.environ):
            return False
        return not self.below or parsed(version) < parsed(self.below)


def gtk_version() -> str:
    """GTK's own word."""
    gtk = ctypes.CDLL("libgtk-3.so.0")
    return f"{gtk.gtk_get_major_version()}.{gtk.gtk_get_minor_version()}"


def llvm_library() -> str:
    """Where a shared LLVM lies; empty where there is none."""
    return max(map(str, Path("/usr/lib").glob("llvm-*/lib/libLLVM-*.*.so")), default="")


def debian_version() -> str:
    """Empty on another system."""
    file = Path("/etc/debian_version")
    return file.read_text().strip() if file.exists() else ""


# Those that no Python package brings.
OWN_VERSION = {
    "python": platform.python_version,
    "tkinter": platform.python_version,
    "glibc": lambda: platform.libc_ver()[1],
    "gtk": gtk_version,
    "llvm": lambda: Path(llvm_library()).stem.partition("-")[2],
    "debian": debian_version,
}

CASES: list[Case] = []


def said_by(
    library: str, *modules: str, below: str = "", needs: str = ""
) -> Callable[[Callable[[], object]], Callable[[], object]]:
    """Marks a function as a case; modules are imported before it runs."""

    def mark(provoke: Callable[[], object]) -> Callable[[], object]:
        CASES.append(Case(library, provoke, modules or (library,), below, needs))
        return provoke

    return mark


def all_cases() -> list[Case]:
    """Of every file in this folder."""
    for module in sorted(found.name for found in pkgutil.iter_modules(__path__)):
        importlib.import_module(f"{__name__}.{module}")
    return CASES
