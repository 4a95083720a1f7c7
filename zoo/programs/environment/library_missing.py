"""An extension whose library was uninstalled."""
# zoo end: library-missing
# zoo before: echo 'int turbo(void) {{ return 1; }}' | cc -shared -fPIC -x c - -Wl,-soname,libturbo.so.3 -o libturbo.so.3 && echo 'int turbo(void); void *PyInit_codec(void) {{ return turbo() ? 0 : 0; }}' | cc -shared -fPIC -x c - -L. -l:libturbo.so.3 -o codec.so && rm libturbo.so.3

import sys

sys.path.insert(0, ".")
import codec  # noqa: F401  # guilty
