"""A helper process crashes the moment it starts; the parent fails with its status."""
# zoo end: segfault
# zoo role: worker

import subprocess
import sys

code = "import ctypes; ctypes.string_at(0)"
subprocess.run([sys.executable, "-c", code], check=True)
