"""Samples are packed into a zip archive, and the disk fills."""
# zoo end: disk-full exception
# zoo root: disk-full
# zoo disk: 12M

import os
import zipfile


def pack(path):
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(200):
            archive.writestr(f"sample-{number}.bin", os.urandom(256 * 1024))  # guilty


pack(os.path.join(os.environ["ZOO_DIR"], "disk", "samples.zip"))
