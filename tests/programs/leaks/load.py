"""Loads more data than fits, before anything else; the guilty line is marked with the way."""

import os
import sys
import time

MIB = 1 << 20
folder = sys.argv[2]


def path(name, content=None):
    name = os.path.join(folder, name)
    if content is not None:
        with open(name, "wb") as file:
            file.write(content)
    return name


def one_array():
    import numpy

    data = numpy.ones((2000, MIB // 8))  # loads: one_array
    return data.sum()


def array_file():
    import numpy

    with open(path("x.npy"), "wb") as file:
        numpy.lib.format.write_array_header_1_0(
            file, {"descr": "<f8", "fortran_order": False, "shape": (1000 * MIB // 8,)}
        )
        file.truncate(file.tell() + 1000 * MIB)
    return numpy.load(path("x.npy"))  # loads: array_file


def load_images():
    path("x.raw", bytes(MIB))
    loaded = []
    while True:
        with open(path("x.raw"), "rb") as file:
            loaded.append(file.read())  # loads: load_images
        time.sleep(0.012)


def all_at_once():
    path("x.raw", bytes(MIB))
    return [read(path("x.raw")) for _ in range(10_000)]


def read(name):
    with open(name, "rb") as file:
        time.sleep(0.012)
        return bytearray(file.read())  # loads: all_at_once


def joined():
    import numpy

    parts = [numpy.ones((50, MIB // 8)) for _ in range(3)]
    return numpy.concatenate(parts)  # loads: joined


def checkpoint():
    import torch

    torch.save({"x": torch.zeros(16 * MIB)}, path("x.pt"))
    return [torch.load(path("x.pt")) for _ in range(20)]  # loads: checkpoint


globals()[sys.argv[1]]()
