"""Which line launched the kernel that failed, asked when a GPU error appears."""

import sys

from _holdfast_agent import keep_launches, seen, watch_launches

# They launch kernels past torch.
_OTHERS = ("cupy", "jax", "numba.cuda", "pycuda", "tensorflow", "warp", "cuda.bindings")
_CAUSES = 8
_loaded = []


def install(module):
    """torch's libraries are loaded together with torch.cuda. Off by default: see docs/costs.md."""
    os = sys.modules.get("os")
    if os is None or os.environ.get("HOLDFAST_LAUNCHES") != "1":
        return
    watch_launches()
    utils = sys.modules.get("torch.cuda._utils")
    if hasattr(utils, "_cuda_load_module"):  # kernels that the program compiles itself
        utils._cuda_load_module = seen(utils._cuda_load_module, _note_load)


def _note_load(*_):
    _loaded.append(1)


def keep_if_cuda_failed(error):
    """Only for an error of CUDA itself; a lack of memory is not one."""
    for _ in range(_CAUSES):
        if error is None:
            return
        if _is_cuda_error(error):
            others = bool(_loaded) or any(name in sys.modules for name in _OTHERS)
            keep_launches(int(others))
            return
        error = error.__cause__ or error.__context__


def _is_cuda_error(error):
    names = [kind.__name__ for kind in type(error).__mro__]
    if "OutOfMemoryError" in names:
        return False
    if "AcceleratorError" in names or "DeferredCudaCallError" in names:
        return True
    words = error.args[0] if error.args else None
    return "RuntimeError" in names and type(words) is str and "CUDA error" in words
