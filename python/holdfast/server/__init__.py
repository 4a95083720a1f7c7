"""Holdfast in a Jupyter server: answers the JupyterLab extension, behind the server's own
authentication.

Enabled by ``etc/jupyter/jupyter_server_config.d/holdfast.json``, which the wheel brings along.
"""

from __future__ import annotations

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "holdfast.server"}]


def _load_jupyter_server_extension(server: Any) -> None:
    from jupyter_core.paths import jupyter_path

    from holdfast.server.bundle import words_about_bundle
    from holdfast.server.handlers import add_to

    add_to(server.web_app)
    if missing := words_about_bundle(jupyter_path("labextensions")):
        server.log.warning(missing)
    server.log.info("holdfast: watched kernels show their state, and why they died")
