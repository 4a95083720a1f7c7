"""Makes Holdfast watch every kernel that a server starts, whatever its kernelspec says.

Chosen by configuration alone: ``JUPYTER_DEFAULT_PROVISIONER_NAME=holdfast``, or in a server's
configuration ``c.KernelProvisionerFactory.default_provisioner_name = "holdfast"``.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from jupyter_client.provisioning import LocalProvisioner

from holdfast._command import HoldfastError, find


class HoldfastProvisioner(LocalProvisioner):
    """A local kernel, started by ``holdfast run``."""

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """The kernel's command line with ``holdfast run`` in front."""
        prepared: dict[str, Any] = await super().pre_launch(**kwargs)
        connection_file = getattr(self.parent, "connection_file", "")
        try:
            prepared["cmd"] = watched(prepared["cmd"], connection_file)
        except HoldfastError as error:  # then the kernel starts as it did before
            self.log.warning("holdfast: %s; the kernel runs unwatched", error)
        return prepared


def watched(command: Sequence[str], connection_file: str) -> list[str]:
    """This kernel's command line, watched; unchanged if it is watched or Holdfast is off."""
    is_watched = list(command[1:3]) == ["run", "--kernel"]
    if is_watched or not connection_file or os.environ.get("HOLDFAST") == "0":
        return list(command)
    return [find(), "run", "--kernel", connection_file, "--", *command]
