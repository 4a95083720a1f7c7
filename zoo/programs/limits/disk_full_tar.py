"""Shards of samples are written as tar archives, compressed, and the disk fills."""
# zoo end: disk-full exception
# zoo root: disk-full
# zoo disk: 12M

import io
import os
import tarfile


def write_shard(path, count):
    with tarfile.open(path, "w:gz") as shard:
        for number in range(count):
            data = os.urandom(256 * 1024)
            member = tarfile.TarInfo(f"{number:06d}.jpg")
            member.size = len(data)
            shard.addfile(member, io.BytesIO(data))  # guilty


for number in range(10):
    write_shard(os.path.join(os.environ["ZOO_DIR"], "disk", f"shard-{number}.tar.gz"), 20)  # guilty
