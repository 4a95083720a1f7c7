"""Fills TensorFlow's pool on the processor, and repeats what it says then as if of a GPU: with
another name for the allocator and the device. `pieces`: half of the pool is free."""

import os
import sys
import tempfile

os.environ["TF_MKL_ALLOC_MAX_BYTES"] = str(512 << 20)
import tensorflow as tf


def of_a_gpu(text):
    return text.replace("mklcpu", "GPU_0_bfc").replace("device:CPU:0", "device:GPU:0")


def piece(mebibytes):
    return tf.ones([mebibytes << 18])


def fill():
    kept = [piece(32) for _ in range(16)]
    if sys.argv[1] == "pieces":
        del kept[::2]
    piece(64)


stderr = os.dup(2)
with tempfile.TemporaryFile() as log:
    os.dup2(log.fileno(), 2)
    try:
        fill()
    except tf.errors.ResourceExhaustedError as error:
        refusal = of_a_gpu(error.message)
    os.dup2(stderr, 2)
    log.seek(0)
    os.write(2, of_a_gpu(log.read().decode()).encode())
raise tf.errors.ResourceExhaustedError(None, None, refusal)
