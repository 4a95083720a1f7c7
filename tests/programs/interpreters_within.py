"""Several interpreters in one process, each with its own memory; then the first goes on alone."""

import sys

try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters

CODE = "kept = [bytes(50_000) for _ in range(400)]; kept = sum(map(len, kept))"
for _ in range(5):
    each = interpreters.create()
    if sys.version_info >= (3, 13):
        assert interpreters.exec(each, CODE) is None
    else:
        interpreters.run_string(each, CODE)
    interpreters.destroy(each)
mine = [bytes(50_000) for _ in range(2000)]
print("main goes on")
