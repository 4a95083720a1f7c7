"""Asks for memory in one of several ways, each on a line marked with its name, and dies with it."""

import array
import copy
import ctypes
import os
import signal
import sys

MIB = 1 << 20


def blocks(mib):
    return [bytes(5000) for _ in range(mib * MIB // 5033)]  # mark: blocks


def large(mib):
    return [bytearray(MIB) for _ in range(mib)]  # mark: large


def mapped(mib):
    import mmap

    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    return mmap.mmap(-1, mib * MIB, flags=flags)  # mark: mapped


def growing(mib):
    realloc = ctypes.CDLL(None).realloc
    realloc.argtypes, realloc.restype = [ctypes.c_void_p, ctypes.c_size_t], ctypes.c_void_p
    block = None
    for now in range(1, 4 * mib):
        block = realloc(block, now * MIB // 4)
    return realloc(block, mib * MIB)  # mark: grown


def deep(mib):
    """The library has more frames between this line and the memory than a stack can hold.

    An array copies itself; a bytearray is copied through blocks of its size that are freed again,
    and after so much churn the agent takes fewer samples, so that the figure is off by a tenth.
    """
    nested = array.array("b", bytes(MIB))
    for _ in range(12):
        nested = [nested]
    return [copy.deepcopy(nested) for _ in range(mib)]  # mark: deep


def freed(mib):
    for _ in range(4):
        gone = [bytes(5000) for _ in range(mib * MIB // 5033)]  # mark: freed
    del gone


def forked(mib):
    mine = large(mib)
    child = os.fork()
    if child == 0:
        mine += [bytearray(MIB) for _ in range(mib)]  # mark: forked
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    return mine, child


def threads(mib):
    import threading

    malloc = ctypes.CDLL(None).malloc
    malloc.argtypes, malloc.restype = [ctypes.c_size_t], ctypes.c_void_p

    def work():
        for _ in range(mib // 4):
            malloc(MIB)  # mark: threads

    running = [threading.Thread(target=work) for _ in range(4)]
    for one in running:
        one.start()
    for one in running:
        one.join()


def numpy(mib):
    import numpy

    return [numpy.ones(1280) for _ in range(mib * MIB // 10240)]  # mark: numpy


def pandas(mib):
    import numpy
    import pandas

    rows = 100_000
    columns = {str(i): numpy.ones(rows) for i in range(mib * MIB // 8 // rows)}
    return pandas.DataFrame(columns).copy()  # mark: pandas


def torch(mib):
    import torch

    return [torch.ones(2560) for _ in range(mib * MIB // 10240)]  # mark: torch


grown = growing
kept = globals()[sys.argv[1]](int(sys.argv[2]))
os.kill(os.getpid(), signal.SIGKILL)
