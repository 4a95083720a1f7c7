"""An extension built against another version of a library: a symbol is not there."""
# zoo end: library-missing
# zoo before: echo 'int new_call(void); void *PyInit_codec(void) {{ return new_call() ? 0 : 0; }}' | cc -shared -fPIC -x c - -Wl,-z,now -o codec.so

import sys

sys.path.insert(0, ".")
import codec  # noqa: F401  # guilty
