"""Whether the kernel log can be read here, and how to hide it from a command."""

import os
import shutil

import pytest

# On a file system mounted nodev no device can be opened, not even by root: as in a container.
_HIDE = """
set -e
mount -t tmpfs -o nodev,size=64k none /mnt
mknod /mnt/kmsg c 1 11
mount --bind /mnt/kmsg /dev/kmsg
umount -l /mnt
exec "$@"
"""


def need_readable() -> None:
    try:
        os.close(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK))
    except OSError as error:
        pytest.skip(f"the kernel log cannot be read here: {error.strerror}")


def hidden_from(*command: str) -> list[str]:
    """A command line for which /dev/kmsg cannot be opened."""
    if os.geteuid() != 0 or not shutil.which("unshare"):
        pytest.skip("hiding the kernel log needs root and unshare(1)")
    return ["unshare", "--mount", "/bin/sh", "-c", _HIDE, "sh", *command]
