"""Sets how a framework may take a GPU's memory, as programs do before the import; then fails."""

import importlib
import os
import sys

framework = sys.argv[1]
if framework == "tensorflow":
    os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = "true"
else:
    os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = ".40"
importlib.import_module(framework)
raise RuntimeError("CUBLAS_STATUS_ALLOC_FAILED")
