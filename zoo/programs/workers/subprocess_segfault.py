"""A tool that is started with subprocess crashes."""
# zoo end: segfault
# zoo role: worker

import subprocess
import sys

subprocess.run([sys.executable, "-c", "import ctypes; ctypes.string_at(16)"], check=True)
