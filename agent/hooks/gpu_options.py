"""The program's settings for TensorFlow's and JAX's share of a GPU, read when it failed."""

import sys

from _holdfast_agent import note
from hooks.numbers import NOTE_FRAMEWORK

_TENSORFLOW = ("TF_FORCE_GPU_ALLOW_GROWTH", "TF_GPU_ALLOCATOR")
_JAX = (
    "XLA_PYTHON_CLIENT_PREALLOCATE",
    "XLA_PYTHON_CLIENT_MEM_FRACTION",
    "XLA_CLIENT_MEM_FRACTION",
    "XLA_PYTHON_CLIENT_ALLOCATOR",
    "TF_GPU_ALLOCATOR",
)
_LONGEST = 40  # of a value


def note_gpu_options():
    """Notes each loaded framework: its name, and below it its settings, one a line."""
    if "tensorflow" in sys.modules:
        note(NOTE_FRAMEWORK, "\n".join(["tensorflow", *_variables(_TENSORFLOW), *_growth()]))
    if "jax" in sys.modules:
        note(NOTE_FRAMEWORK, "\n".join(["jax", *_variables(_JAX)]))


def _variables(names):
    # Not getenv(): what a program sets in os.environ before the import counts. Both frameworks have
    # imported os; a hook may not import it.
    environment = sys.modules["os"].environ
    return [f"{name}={environment[name][:_LONGEST]}" for name in names if name in environment]


def _growth():
    """What the program gave tf.config, read without a call, which would start the runtime."""
    module = sys.modules.get("tensorflow.python.eager.context")
    context = getattr(module, "_context", None)
    told = getattr(context, "_memory_growth_map", None)
    if type(told) is dict and any(value is True for value in told.values()):
        return ["set_memory_growth=true"]
    return []
