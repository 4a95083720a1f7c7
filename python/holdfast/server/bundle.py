"""Whether the extension for JupyterLab is where the server looks for it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def words_about_bundle(folders: Iterable[str]) -> str | None:
    """Nothing if one of these folders of labextensions has it."""
    if any((Path(folder) / "holdfast-lab/package.json").is_file() for folder in folders):
        return None
    return (
        "holdfast: the extension for JupyterLab is not installed here: cells say why a kernel "
        "died, but there is no status bar and no report. Wheels contain it; in a checkout, "
        "`pip install .` builds it if npm is there: `make lab-build` says what is missing"
    )
