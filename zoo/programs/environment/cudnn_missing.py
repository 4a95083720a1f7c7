"""A build asks for a cuDNN that is not installed."""
# zoo end: cuda-library-missing

import ctypes


def load_backend():
    return ctypes.CDLL("libcudnn_cnn_infer.so.8")  # guilty


load_backend()
