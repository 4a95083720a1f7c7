"""A converter crashes on one file; the program counts it and goes on."""
# zoo end: clean-exit
# zoo also: segfault

import subprocess
import sys

bad = 0
for name in ("a", "b", "c"):
    code = "import ctypes; ctypes.string_at(0)" if name == "b" else "pass"
    bad += subprocess.run([sys.executable, "-c", code]).returncode != 0
print(bad, "of 3 failed")
